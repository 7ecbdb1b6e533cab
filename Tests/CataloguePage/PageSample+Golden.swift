import AppStoreServerAPI
@testable import Catalogue
import Facts
import Rules
import System

extension PageSample {
    /// A page on which everything stands that a page can have: each kind of message, each state, each answer, and an
    /// orphan.
    static func everything() -> PageSample {
        var sample = PageSample()
        sample.catalogue.locales = ["en-US", "ar-SA"]
        sample.catalogue.images = [image("hero", .fullSize), image("tick", .bulletPoint)]
        sample.files = ["images/hero.png": png(12, 5, grey: 90), "images/tick.png": png(4, 4, grey: 160)]
        var english = text("en-US", "Your routes are waiting", "Keep every map.\nAnd the weather.")
        (english.image, english.imageAltText) = ("hero", "Green hills")
        english.bulletPoints = [
            .init(text: "Offline maps", image: "tick", altText: "Tick"),
            .init(text: "All \u{202E}devices", image: "tick", altText: "Tick"),
        ]
        var reminder = message(
            "reminder", .text, [english, text("ar-SA", "مساراتك في انتظارك", "احتفظ بكل الخرائط.")])
        reminder.headerPosition = .aboveImage
        var picture = english
        (picture.header, picture.bulletPoints) = ("Below the image", [])
        var thanks = message("thanks", .text, [picture])
        thanks.product = "pro_annual"
        sample.catalogue.messages = [
            reminder, thanks,
            message("half_price", .offer, [text("en-US", "Half price", "For three months.")]),
            message("go_annual", .switch, [text("en-US", "Go annual", "Save two months.")]),
            message("bundle", .advancedCommerce, [text("en-US", "Keep one", "Drop the other.")]),
        ]
        sample.catalogue.realtimeURLs = [.sandbox: "https://example.com/retention"]
        sample.realtimeURL = "https://old.example.com/retention"
        sample.server = "http://127.0.0.1:8080"
        sample.rules = ["reminder": ["loyal", "default"], "half_price": ["discount"]]
        sample.addStates()
        return sample
    }

    private mutating func addStates() {
        let products = catalogue.products.map(\.name)
        catalogue.products.append(.init(name: "lifetime", group: nil))
        list(CatalogueItem(.image, identifier(image: "hero")), .pending)
        list(CatalogueItem(.image, identifier(image: "tick")), .approved)
        list(CatalogueItem(.message, identifier("reminder", "en-US")), .approved)
        list(CatalogueItem(.message, identifier("reminder", "ar-SA")), .approved)
        list(CatalogueItem(.message, identifier("thanks", "en-US")), .pending)
        list(CatalogueItem(.message, identifier("half_price", "en-US")), .approved)
        list(CatalogueItem(.message, identifier("go_annual", "en-US")), .rejected)
        list(CatalogueItem(.message, UUID(high: 9, low: 9)), .approved)
        for product in products {
            for locale in catalogue.locales { defaults.append((product, locale, "reminder")) }
        }
        set(products[0], "en-US", identifier("reminder", "en-US"))
        set(products[0], "ar-SA", identifier("reminder", "ar-SA"))
        set(products[1], "en-US", UUID(high: 9, low: 9))
        set(products[1], "ar-SA", nil)
    }
}
