import Support

/// A catalogue of any size, with a PNG file for each image.
struct LargeCatalogue {
    /// The locales of every catalogue.
    static let locales = [
        "ar-SA", "ca", "cs", "da", "de-DE", "el", "en-GB", "en-US", "es-ES", "fi", "fr-FR", "hi", "it",
        "ja", "ko", "nl-NL", "pl", "pt-BR", "tr", "zh-Hans",
    ]

    let bundleId: String
    /// The number of names of messages. Each has a text in every locale.
    let nameCount: Int
    /// The number of images of each name: one of the message, the others of its bullet points.
    let imagesPerName: Int
    let productCount: Int

    var messageCount: Int { nameCount * Self.locales.count }
    var imageCount: Int { nameCount * imagesPerName }
    var defaultCount: Int { productCount * Self.locales.count }

    /// Writes the catalogue and its images, and returns the path of the catalogue.
    func write(in folder: TemporaryDirectory) throws -> String {
        for number in 0..<nameCount {
            for place in 0..<imagesPerName {
                var image = place == 0 ? TestPNG(3840, 160) : TestPNG(1024, 1024)
                (image.colorType, image.bitDepth) = (0, 1)
                // Every image has pixels of its own.
                image.patches = [
                    (0, 0, UInt8(number % 256)), (0, 1, UInt8(number / 256)), (0, 2, UInt8(place)),
                ]
                try folder.write(image.bytes(), to: "\(bundleId)-\(number)-\(place).png")
            }
        }
        try folder.write(text, to: "\(bundleId).json")
        return folder.path(of: "\(bundleId).json")
    }

    private var text: String {
        let images = (0..<nameCount).flatMap { number in
            (0..<imagesPerName).map { place in
                let size = place == 0 ? "FULL_SIZE" : "BULLET_POINT"
                return
                    #""i\#(number)_\#(place)":{"file":"\#(bundleId)-\#(number)-\#(place).png","size":"\#(size)"}"#
            }
        }
        let messages = (0..<nameCount).map { number in
            let texts = Self.locales.map { #""\#($0)":\#(text(number, $0))"# }.joined(separator: ",")
            let image = imagesPerName > 0 ? #""image":"i\#(number)_0","# : ""
            return #""m\#(number)":{"kind":"text",\#(image)\#(texts)}"#
        }
        let products = (0..<productCount).map { #""p\#($0)":{}"# }
        let locales = Self.locales.map { #""\#($0)""# }
        return """
            { "format": 1, "app": { "appAppleId": 7, "bundleId": "\(bundleId)" },
              "namespace": "5d1f6a0e-8c1b-4f0a-9a52-3f6d0b7c2e41",
              "locales": [\(locales.joined(separator: ","))],
              "products": {\(products.joined(separator: ","))},
              "images": {\(images.joined(separator: ",\n"))},
              "messages": {\(messages.joined(separator: ",\n"))},
              "defaults": { "*": "m0" },
              "realtimeURL": { "Sandbox": "https://example.com/retention-message" } }
            """
    }

    private func text(_ number: Int, _ locale: String) -> String {
        let points = (1..<max(1, imagesPerName)).map { place in
            #"{"text":"Point \#(place)","image":"i\#(number)_\#(place)","altText":"Image \#(place)"}"#
        }
        let alt = imagesPerName > 0 ? #","imageAltText":"An image""# : ""
        let list = points.isEmpty ? "" : #","bulletPoints":[\#(points.joined(separator: ","))]"#
        return #"{"header":"Header \#(number) \#(locale)","body":"Body \#(number)"\#(alt)\#(list)}"#
    }
}
