internal import Configuration
internal import Decisions
internal import Vocabulary

/// Compares the signatures that rules need with the signatures that the configuration allows.
enum SigningFit {
    /// Returns warnings about rules that are passed over because the service cannot sign for them. This is never a
    /// refusal, since the other rules serve.
    static func warnings(_ files: [CheckedFile], _ configuration: Configuration) -> [LoadWarning] {
        files.flatMap { file -> [LoadWarning] in
            guard case .rules(_, let signing) = file.contents, !signing.isEmpty,
                let app = configuration.apps.first(where: { $0.appAppleId == file.file.appAppleId })
            else { return [] }
            let name = file.file.name
            if app.signingKey == nil {
                let what =
                    "rules that need a signature of app \(app.appAppleId) are passed over: "
                    + "the app has no \"signingKeys\""
                return [LoadWarning(code: "signing-key-missing", message: "\(name): \(what)")]
            }
            guard signing.contains(.advancedCommerce), !app.signsAdvancedCommerce else { return [] }
            let what =
                "rules with Advanced Commerce requests are passed over: \"advancedCommerce\" is \"off\""
            return [LoadWarning(code: "advanced-commerce-off", message: "\(name): \(what)")]
        }
    }
}
