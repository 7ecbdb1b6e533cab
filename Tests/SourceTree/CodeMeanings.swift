import AppStoreServerAPI
import Support

/// The meanings of error codes. They come from the documentation of the enum cases that have the codes.
struct CodeMeanings {
    /// The meaning of each code.
    private(set) var meanings = Self.others.merging(
        AppStoreServerAPIErrorCode.allCases.map { ($0.code, $0.meaning) }
    ) { text, _ in text }

    /// Reads the documentation of every case in a file. `prefix` stands before the codes that are raw values; nil for
    /// files without such codes.
    mutating func read(_ source: SwiftSource, rawValuePrefix prefix: String?) {
        var documentation: [Substring: String] = [:]
        var comment: [Substring] = []
        for line in source.lines {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("/// ") {
                comment.append(text.dropFirst("/// ".count))
                continue
            }
            let meaning = comment.joined(separator: " ")
            comment = []
            // Matching is slow, and few lines begin a case.
            guard !meaning.isEmpty, text.hasPrefix("case "),
                let declared = text.firstMatch(of: /^case `?(\w+)`?/)
            else { continue }
            documentation[declared.output.1] = meaning
            if let prefix, let raw = text.firstMatch(of: /\ = "([^"]+)"/) {
                meanings[prefix + raw.output.1] = meaning
            }
        }
        for line in source.lines where line.hasSuffix("\"") {
            guard let row = line.firstMatch(of: /case \.(\w+).*: "([a-z0-9.-]+)"$/),
                let meaning = documentation[row.output.1]
            else { continue }
            meanings[String(row.output.2)] = meanings[String(row.output.2)] ?? meaning
        }
    }

    /// What a reader of the manual reads instead of a link to a declaration. The limits of a JSON text differ from reader
    /// to reader, so they have no number.
    private static let words = [
        "``JSONLimits/byteCount``": "the limit",
        "``JSONLimits/depth``": "the limit",
        "``DataFileLimits`` allows": "the format allows",
    ]

    /// Returns true when a text for the manual has a link to a declaration, which only readers of the source can follow.
    static func hasLink(_ text: String) -> Bool {
        text.contains("``") || text.contains(/[A-Z]\w*\/[a-z]\w*/)
    }

    /// Returns the text for a page of the manual: the first sentence of the meaning, without the markup of the source.
    static func sentence(_ meaning: String) -> String {
        var text = meaning.replacing("|", with: "or")
        for (link, plain) in words { text.replace(link, with: plain) }
        if let end = text.firstRange(of: ". ") { text = String(text[..<end.lowerBound]) + "." }
        return text.replacing("*", with: "\\*")
    }

    /// The meanings of codes that no enum case has.
    private static let others = [
        "advanced-commerce-off":
            "Rules serve Advanced Commerce outcomes, and the app's `advancedCommerce` is `off` (warning).",
        "anchor-expired": "A configured root certificate is no longer valid (warning).",
        "anchor-not-yet-valid": "A configured root certificate is not valid yet (warning).",
        "apple.credentials-missing": "The key, its identifiers or the bundle identifier are not given.",
        "apple.declined": "The user did not agree to the change.",
        "apple.not-confirmed":
            "The command would delete or replace something, and neither `--confirm` nor a terminal is there.",
        "catalogue-apply.identifier-used":
            "Apple refuses the identifier of an upload and does not list it: it was used and deleted before.",
        "catalogue-apply.image-changed": "The file of an image has changed since the plan was made.",
        "catalogue-apply.image-unreadable": "The file of an image cannot be read any more.",
        "catalogue-plan.not-tried-in-sandbox":
            "The plan uploads to Production what the journal has never seen approved in Sandbox.",
        "catalogue.other-app": "`--bundle-id` names another app than the catalogue or the map.",
        "catalogue.other-rules": "The rules are those of another app or another environment.",
        "catalogue.changed":
            "Somebody has changed the catalogue since `catalogue adopt` read it. Nothing was written.",
        "catalogue.exists":
            "The file that `catalogue init` would write is there already, or `catalogue adopt` was given the locales and products of "
            + "a new catalogue for one that is there.",
        "compile.bad-source-date-epoch": "SOURCE_DATE_EPOCH is not a number of seconds.",
        "custom-anchors": "Root certificates other than Apple's are trusted (warning).",
        "diff.bad-identifier-key": "The file is not a key of 64 hexadecimal digits.",
        "diff.facts-unknown":
            "The rules read facts, and the sample has none: the shares are not those of the service (warning).",
        "diff.other-app": "The two rules files are for different apps or environments.",
        "embedded-test-failed": "A test in the rules fails.",
        "facts-file-missing": "The rules read facts, and there is no facts file (warning).",
        "facts.no-app": "Neither the schema nor an option says the app or the environment.",
        "facts.other-app": "The facts file is for another app or environment than the rules.",
        "facts.unknown-fact": "The rules do not declare the fact that was given on the command line.",
        "facts.wrong-value": "The value given on the command line is not of the fact's type.",
        "load-crashed": "The loader process ended without an answer.",
        "load-timeout": "The loader process took too long and was ended.",
        "no-rules": "An app has a facts file and no rules file (warning).",
        "profile.exposed": "Others than the owner and the group may use the profile.",
        "profile.malformed": "The profile is not a JSON object of known names and strings.",
        "publish.bad-name": "The bundle ID and the environment make no name of a file; `--name` gives one.",
        "publish.fewer-rows": "The facts have less than half the rows of those that a host serves.",
        "publish.lint-warnings": "Lint has warnings, so the rules are not published.",
        "publish.other-app": "`--bundle-id` names another app than the rules.",
        "publish.other-environment": "The rules are for another environment than `--environment` says.",
        "sample.empty": "The sample has no request for this app and environment.",
        "sample.line-too-long": "A line of the sample has more than 1 MiB.",
        "sample.missing-member": "A line of the sample lacks a member that it must have.",
        "sample.unknown-fact": "A line of the sample has a fact that the rules do not declare.",
        "sample.wrong-type": "A member in a line of the sample has the wrong type.",
        "signing-key-missing": "Rules serve offers, and the app has no signing key (warning).",
        "simulator.malformed": "The simulator cannot read what it was sent.",
        "simulator.no-authority": "The simulator has nothing to sign notifications with.",
        "simulator.already-subscribed": "The simulator has a subscriber with this identifier already.",
        "simulator.not-renewing": "The subscription in the simulator has ended, or it does not renew.",
        "simulator.nothing-to-renew": "No period of the subscription in the simulator has ended.",
        "simulator.offer-refused": "The simulator does not sell the offer of an answer, and says why.",
        "simulator.unknown-product": "The simulator sells no subscription of this product.",
        "simulator.unknown-subscriber": "The simulator has no subscriber with this identifier.",
        "simulator.no-notification-url": "No URL for notifications is set in the simulator.",
        "simulator.no-group": "The group of --listen-group does not exist.",
        "simulator.no-simulator": "No simulator of Apple's API answers at the URL.",
        "simulator.unknown-app": "The simulator does not have the app, or it has several apps.",
        "simulator.unknown-host": "The URL for notifications is not on a host that the simulator may call.",
        "simulator.unknown-identifier": "The simulator has no message or image with a given identifier.",
        "start-failed": "A child process could not be started.",
        "workers-failed": "The new workers died before they were ready; the old ones serve on.",
        "workers-not-ready": "The new workers were not ready in time; the old ones serve on.",
    ]
}
