internal import AppStoreServerAPI
internal import JSON
internal import System

extension EnvironmentState {
    /// Configure Default Message. The message and all its images must be approved.
    mutating func setDefault(_ place: DefaultPlace, _ call: Call) throws(SimulatorProblem) -> SimulatorAnswer
    {
        guard let text = try Self.object(call.request).member("messageIdentifier")?.string,
            let identifier = UUID(text)
        else { throw .badRequest }
        guard let message = messages[identifier] else { throw .apple(.messageNotFound) }
        guard message.state == .approved else { throw .apple(.messageNotApproved) }
        guard message.images.allSatisfy({ images[$0]?.state == .approved }) else {
            throw .apple(.imageNotApproved)
        }
        defaults[place] = identifier
        return SimulatorAnswer()
    }

    /// Get Default Message.
    func getDefault(_ place: DefaultPlace) throws(SimulatorProblem) -> SimulatorAnswer {
        guard let identifier = defaults[place] else { throw .apple(.defaultMessageNotFound) }
        return SimulatorAnswer(.object([("messageIdentifier", .string(identifier.description))]))
    }

    /// Configure Realtime URL. In Production a performance test must have passed before.
    mutating func setURL(_ call: Call, needsPass: Bool) throws(SimulatorProblem) -> SimulatorAnswer {
        guard let url = try Self.object(call.request).member("realtimeURL")?.string,
            url.utf16.count <= RetentionMessagingLimits.realtimeURLLength, ReceiverURL(url)?.isSecure == true
        else { throw .apple(.invalidRealtimeURL) }
        guard !needsPass else { throw .apple(.noPassingTest) }
        realtimeURL = url
        return SimulatorAnswer()
    }

    /// Reads a product and a locale of the path. A product identifier has the characters that App Store Connect takes:
    /// letters, digits, full stop, underscore, and the hyphen of older products.
    static func place(_ productId: String, _ locale: String) throws(SimulatorProblem) -> DefaultPlace {
        let isProduct = productId.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isProduct, (1...SimulatorLimits.productIdLength).contains(productId.utf8.count) else {
            throw .apple(.invalidProductId)
        }
        guard AppStoreConnectLocales.codes.contains(locale) else { throw .apple(.invalidLocale) }
        return DefaultPlace(productId: productId, locale: locale)
    }
}

/// The locale shortcodes of App Store Connect, to which Apple's page of the type `locale` points.
enum AppStoreConnectLocales {
    /// The 50 codes. Upper and lower case matter.
    static let codes: Set<String> = [
        "ar-SA", "bn-BD", "ca", "cs", "da", "de-DE", "el", "en-AU", "en-CA", "en-GB", "en-US", "es-ES",
        "es-MX",
        "fi", "fr-CA", "fr-FR", "gu-IN", "he", "hi", "hr", "hu", "id", "it", "ja", "kn-IN", "ko", "ml-IN",
        "mr-IN", "ms", "nl-NL", "no", "or-IN", "pa-IN", "pl", "pt-BR", "pt-PT", "ro", "ru", "sk", "sl-SI",
        "sv",
        "ta-IN", "te-IN", "th", "tr", "uk", "ur-PK", "vi", "zh-Hans", "zh-Hant",
    ]
}
