internal import AppStoreServerAPI
internal import JSON
internal import Rules
internal import System

struct CatalogueMessagesReader {
    private let locales: [String]
    private let products: Set<String>
    private let sizes: [String: ImageSize]

    init(_ catalogue: Catalogue) {
        locales = catalogue.locales
        products = Set(catalogue.products.map(\.name))
        sizes = Dictionary(catalogue.images.map { ($0.name, $0.size) }) { first, _ in first }
    }

    func read(_ value: SourceValue) -> [Catalogue.Message] {
        let messages = value.entries.map(message)
        let count = messages.reduce(0) { $0 + $1.texts.count }
        if count > RetentionMessagingLimits.messageCount {
            value.report(
                .tooMany, "\(count) messages, each locale counted",
                hint: "Apple's limit is \(RetentionMessagingLimits.messageCount) in an app")
        }
        return messages
    }

    private func message(_ name: String, _ value: SourceValue) -> Catalogue.Message {
        value.checkItemName(name)
        var message = Catalogue.Message(name: name)
        guard value.isObject else { return message }
        let localeNames = value.members.map(\.name).filter { LocaleSpelling.canonical($0) != nil }
        value.checkKeys(CatalogueKeys.message, knowing: localeNames)
        let kinds = MessageKind.allCases
        message.kind = value.required("kind")?.choice(of: kinds, named: \.name, "kind of message") ?? .text
        message.product = value.member("product").flatMap(product)
        message.headerPosition = value.member("headerPosition")?.choice(
            of: UploadMessageRequestBody.HeaderPosition.allCases, named: \.rawValue, "position of a header")
        let whenUnapproved = value.member("whenUnapproved")?.choice(
            of: RulesModel.WhenUnapproved.allCases, named: \.rawValue, "value of \"whenUnapproved\"")
        message.failsWhenUnapproved = whenUnapproved == .pass
        let image = value.member("image").flatMap { self.image($0, .fullSize) }
        checkPlain(value, "image", message.kind, "an image")
        let revision = value.member("revision")?.revision ?? 1
        for (locale, value) in value.members where localeNames.contains(locale) {
            guard checkLocale(locale, value), value.isObject else { continue }
            message.texts.append(text(locale, value, message.kind, image: image, revision: revision))
        }
        if message.texts.isEmpty, localeNames.isEmpty {
            value.reportKey(.badValue, "a message without a text")
        }
        if message.headerPosition == .aboveImage, message.texts.contains(where: { $0.image == nil }),
            let position = value.member("headerPosition")
        {
            position.report(
                .wrongUse, "ABOVE_IMAGE, and no image", hint: "Apple refuses it (4000224)")
        }
        return message
    }

    private func product(_ value: SourceValue) -> String? {
        guard let name = value.storeIdentifier() else { return nil }
        if !products.contains(name) {
            value.report(
                .unknownName, "there is no product \"\(name)\"",
                hint: Hint.near(name, among: products.sorted()) ?? "it is not in \"products\"")
        }
        return name
    }

    private func checkLocale(_ locale: String, _ value: SourceValue) -> Bool {
        guard value.checkAppStoreLocale(locale, isKey: true) else { return false }
        if !locales.contains(locale) {
            value.reportKey(
                .unknownName, "\"\(locale)\" is not in \"locales\"",
                hint: Hint.near(locale, among: locales) ?? "add it to \"locales\"")
        }
        return true
    }

    /// Reports a member that only messages of kind `text` may have. Source: Apple, Uploading messages and images.
    private func checkPlain(_ value: SourceValue, _ name: String, _ kind: MessageKind, _ what: String) {
        guard kind != .text, let member = value.member(name) else { return }
        guard member.value.kind != .array || member.value.count > 0 else { return }
        member.reportKey(
            .wrongUse, "\(what) in a message of kind \(kind.name)",
            hint: "Apple shows only the header and the body of such a message")
    }

    private func image(_ value: SourceValue, _ size: ImageSize) -> String? {
        guard let name = value.string else { return nil }
        guard let found = sizes[name] else {
            value.report(
                .unknownName, "there is no image \"\(name.prefix(40))\"",
                hint: Hint.near(name, among: sizes.keys.sorted()) ?? "it is not in \"images\"")
            return name
        }
        if found != size {
            let text = "\"\(name)\" has the size \(found.rawValue), not \(size.rawValue)"
            value.report(.wrongUse, text, hint: "Apple refuses it (4000216)")
        }
        return name
    }

    private func text(
        _ locale: String, _ value: SourceValue, _ kind: MessageKind, image: String?, revision: Int64
    ) -> Catalogue.Text {
        value.checkKeys(CatalogueKeys.text)
        typealias Limits = RetentionMessagingLimits
        let header = value.required("header").flatMap { TextCheck.read($0, limit: Limits.headerLength) }
        let body = value.required("body").flatMap { TextCheck.read($0, limit: Limits.bodyLength) }
        let own = value.member("image").flatMap { self.image($0, .fullSize) }
        checkPlain(value, "image", kind, "an image")
        checkPlain(value, "bulletPoints", kind, "bullet points")
        let altText = value.member("imageAltText")
        if kind == .text, image ?? own != nil, altText == nil {
            value.reportKey(.wrongUse, "an image without \"imageAltText\"", hint: "Apple requires it")
        }
        if image ?? own == nil, let altText {
            altText.reportKey(.unused, "\"imageAltText\" without an image")
        }
        return Catalogue.Text(
            locale: locale, header: header ?? "", body: body ?? "", image: own ?? image,
            imageAltText: altText.flatMap { TextCheck.read($0, limit: Limits.altTextLength) },
            bulletPoints: value.member("bulletPoints").map(bulletPoints) ?? [],
            revision: value.member("revision")?.revision ?? revision,
            pins: value.member("identifier")?.pins ?? [:])
    }

    private func bulletPoints(_ value: SourceValue) -> [Catalogue.BulletPoint] {
        typealias Limits = RetentionMessagingLimits
        let elements = value.elements ?? []
        if elements.count > Limits.bulletPointCount {
            let hint = "Apple's limit is \(Limits.bulletPointCount)"
            value.report(.tooMany, "\(elements.count) bullet points", hint: hint)
        }
        return elements.compactMap { element in
            guard element.isObject else { return nil }
            element.checkKeys(CatalogueKeys.bulletPoint)
            let text = element.required("text").flatMap {
                TextCheck.read($0, limit: Limits.bulletPointTextLength)
            }
            let altText = element.required("altText").flatMap {
                TextCheck.read($0, limit: Limits.altTextLength)
            }
            guard let image = element.member("image") else {
                element.report(
                    .wrongUse, "a bullet point without \"image\"", hint: "Apple requires it")
                return nil
            }
            let name = self.image(image, .bulletPoint)
            return Catalogue.BulletPoint(text: text ?? "", image: name ?? "", altText: altText ?? "")
        }
    }
}
