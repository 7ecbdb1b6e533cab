internal import Configuration
internal import OfferSigning
internal import RulesReading
internal import SignedPayloads
internal import System
internal import Vocabulary

extension LoadError {
    /// A sentence for people: what is wrong, and where.
    public var description: String {
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
        case .fileSparse(let name, let byteCount):
            "\(name): \(byteCount) bytes, of which nearly all are a hole; push the whole file"
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
