package import Configuration
package import Facts
package import Reply
package import Rules
package import SignedPayloads
package import System

/// The reason why a load was refused. The generation that serves goes on serving.
package enum LoadError: CodedError, Hashable, CustomStringConvertible {
    case configurationUnreadable(path: String, SystemCallError)
    case configuration(path: String, ConfigurationError)
    case needsRestart(keys: [String])
    case anchorUnreadable(path: String, SystemCallError)
    case anchorInvalid(path: String)
    case anchorUnfit(path: String, subject: String, AnchorProblem)
    case appleRoots(AnchorError)
    case signingKey(SigningKeyReference, SigningKeyProblem)
    case identifierKeyUnreadable(path: String, SystemCallError)
    case identifierKeyExposed(path: String)
    case identifierKeyInvalid(path: String)
    case identifierKeyNotMade(path: String, reason: String)
    case decisionsUnwritable(path: String, SystemCallError)
    case errorLogUnwritable(path: String, SystemCallError)
    case dataDirectoryUnreadable(path: String, SystemCallError)
    case dataDirectoryWritable(path: String)
    case tooManyFiles(limit: Int)
    case fileUnreadable(name: String, SystemCallError)
    case fileNotRegular(name: String)
    case fileWritable(name: String)
    case fileTooLarge(name: String, byteCount: Int, limit: Int)
    case fileChanged(name: String)
    case dataFile(name: String, DataFileError)
    case rules(name: String, RulesSourceError)
    case rulesFormatOld(name: String)
    case embeddedTestFailed(name: String, test: String, differences: String)
    case copyNotMade(name: String, directory: String, SystemCallError)
    case factsUnfit(name: String, rulesName: String, DataFileError)
    case appNotConfigured(name: String, appAppleId: Int64)
    case environmentNotConfigured(name: String, appAppleId: Int64, Environment)
    case duplicateFile(name: String, other: String)
    case builtInFuture(name: String, builtAtMilliseconds: Int64)
    case rulesFileMissing(appAppleId: Int64, Environment, lastName: String)
    case noLastGood
    case lastGoodDamaged(name: String)
    case manifestInvalid
    case system(SystemCallError)

    package var code: String {
        switch self {
        case .configuration(_, let error): error.code
        case .rules(_, let error): error.code
        case .rulesFormatOld: "rules-format-old"
        case .dataFile(_, let error), .factsUnfit(_, _, let error): error.code
        case .appleRoots(let error): error.code
        case .configurationUnreadable: "configuration-unreadable"
        case .needsRestart: "needs-restart"
        case .anchorUnreadable: "anchor-unreadable"
        case .anchorInvalid: "anchor-invalid"
        case .anchorUnfit(_, _, let problem): problem.code
        case .signingKey(_, let problem): problem.code
        case .identifierKeyUnreadable: "identifier-key-unreadable"
        case .identifierKeyExposed: "identifier-key-exposed"
        case .identifierKeyInvalid: "identifier-key-invalid"
        case .identifierKeyNotMade: "identifier-key-not-made"
        case .decisionsUnwritable: "decisions-unwritable"
        case .errorLogUnwritable: "error-log-unwritable"
        case .dataDirectoryUnreadable: "data-directory-unreadable"
        case .dataDirectoryWritable: "data-directory-writable"
        case .tooManyFiles: "too-many-files"
        case .fileUnreadable: "file-unreadable"
        case .fileNotRegular: "file-not-regular"
        case .fileWritable: "file-writable"
        case .fileTooLarge: "file-too-large"
        case .fileChanged: "file-changed"
        case .embeddedTestFailed: "embedded-test-failed"
        case .copyNotMade: "copy-not-made"
        case .appNotConfigured: "app-not-configured"
        case .environmentNotConfigured: "environment-not-configured"
        case .duplicateFile: "duplicate-file"
        case .builtInFuture: "built-in-future"
        case .rulesFileMissing: "rules-file-missing"
        case .noLastGood: "no-last-good"
        case .lastGoodDamaged: "last-good-damaged"
        case .manifestInvalid: "manifest-invalid"
        case .system: "load-system"
        }
    }
}

extension LoadError {
    package var description: String {
        switch self {
        case .configurationUnreadable(let path, let error): "\(path): \(error)"
        case .configuration(let path, let error): error.description(ofFile: path)
        case .needsRestart(let keys): "only a restart applies \(keys.joined(separator: ", "))"
        case .anchorUnreadable(let path, let error): "\(path): \(error)"
        case .anchorInvalid(let path): "\(path): not a PEM file of certificates alone"
        case .anchorUnfit(let path, let subject, let problem): "\(path): \(subject) \(problem.reason)"
        case .signingKey(let key, let problem):
            "\(key.file): key \(key.keyId): \(problem.description(path: key.file))"
        case .appleRoots: "Apple's roots in this program are damaged"
        case .dataDirectoryUnreadable(let path, let error): "\(path): \(error)"
        case .dataDirectoryWritable(let path): "\(path): everybody may write here; chmod o-w \(path)"
        case .tooManyFiles(let limit): "more than \(limit) data files"
        case .noLastGood: "there is no last good generation"
        case .lastGoodDamaged(let name):
            "last good generation: \(name) is not what was stored; push good files, the next load stores them anew"
        case .manifestInvalid: "the manifest is not as a loader writes it"
        case .system(let error): error.description
        case .rulesFileMissing(let app, let environment, let lastName):
            "no rules any more for app \(app) in \(environment.rawValue), last in \(lastName)"
        case .identifierKeyUnreadable(let path, let error), .decisionsUnwritable(let path, let error),
            .errorLogUnwritable(let path, let error):
            "\(path): \(error)"
        case .identifierKeyExposed(let path):
            "\(path): others than its owner may read it; chmod 0600 \(path)"
        case .identifierKeyInvalid(let path):
            "\(path): not 64 hexadecimal digits; restore it, or remove it where the daemon may make a new one, "
                + "which names every subscriber anew"
        case .identifierKeyNotMade(let path, let reason): "\(path): cannot be made: \(reason)"
        default: fileDescription
        }
    }

    private var fileDescription: String {
        switch self {
        case .fileUnreadable(let name, let error): "\(name): \(error)"
        case .fileNotRegular(let name): "\(name): not a regular file"
        case .fileWritable(let name): "\(name): group or others may write it; chmod go-w \(name)"
        case .fileTooLarge(let name, let byteCount, let limit):
            "\(name): \(byteCount) bytes, the limit is \(limit)"
        case .fileChanged(let name): "\(name): changed while it was copied; push by rename, not in place"
        case .dataFile(let name, let error): "\(name): \(error)"
        case .rules(let name, let error):
            error.findings.first.map { Self.place($0, name) + $0.message } ?? name
        case .rulesFormatOld(let name):
            "\(name): rules travel as JSON now: push \(name).json, which retentionctl compile writes, and remove \(name)"
        case .embeddedTestFailed(let name, let test, let differences):
            "\(name): test \"\(test)\" fails: \(differences)"
        case .copyNotMade(let name, let directory, let error):
            "\(name): cannot be written into \(directory): \(error); make room, or remove what stands there"
        case .factsUnfit(let name, let rulesName, let error): "\(name): does not fit \(rulesName): \(error)"
        case .appNotConfigured(let name, let app): "\(name): app \(app) is not configured"
        case .environmentNotConfigured(let name, let app, let environment):
            "\(name): \(environment.rawValue) is not configured for app \(app)"
        case .duplicateFile(let name, let other): "\(name) and \(other) are for the same app and environment"
        case .builtInFuture(let name, let milliseconds):
            "\(name): built at \(milliseconds) ms since 1970, more than a day from now"
        default: code
        }
    }

    /// Where the first error in rules is: `app.rules.json:3:12: `.
    private static func place(_ finding: Finding, _ name: String) -> String {
        ([name] + [finding.line, finding.column].compactMap { $0.map(String.init) }).joined(separator: ":")
            + ": "
    }
}
