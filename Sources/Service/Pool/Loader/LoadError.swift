package import Configuration
package import Facts
package import Reply
package import Rules
package import SignedPayloads
package import System

/// The reason why a load was refused. The generation that serves goes on serving.
package enum LoadError: CodedError, Hashable, CustomStringConvertible {
    /// `retentiond.json` cannot be read.
    case configurationUnreadable(path: String, SystemCallError)
    /// `retentiond.json` is wrong; the code is the configuration's own.
    case configuration(path: String, ConfigurationError)
    /// Settings were changed that only a restart applies.
    case needsRestart(keys: [String])
    /// A PEM file cannot be read.
    case anchorUnreadable(path: String, SystemCallError)
    /// A PEM file holds no certificate, or something other than certificates.
    case anchorInvalid(path: String)
    /// A certificate in a PEM file cannot be an anchor; the code is that of the problem.
    case anchorUnfit(path: String, subject: String, AnchorProblem)
    /// Apple's roots in this program are damaged; the code is that of the anchor error.
    case appleRoots(AnchorError)
    /// A file of `signingKeys` cannot be used; the code is that of the problem.
    case signingKey(SigningKeyReference, SigningKeyProblem)
    /// The key of the decision records cannot be read.
    case identifierKeyUnreadable(path: String, SystemCallError)
    /// Others than the owner may read the file of that key.
    case identifierKeyExposed(path: String)
    /// The file of that key does not hold 64 hexadecimal digits.
    case identifierKeyInvalid(path: String)
    /// A key of the daemon's own cannot be made.
    case identifierKeyNotMade(path: String, reason: String)
    /// The file of the decision records cannot be opened for appending.
    case decisionsUnwritable(path: String, SystemCallError)
    /// The file of `errorLog` cannot be opened for appending.
    case errorLogUnwritable(path: String, SystemCallError)
    /// `dataDirectory` cannot be listed.
    case dataDirectoryUnreadable(path: String, SystemCallError)
    /// Everybody may write into `dataDirectory`, and so everybody could replace the rules.
    case dataDirectoryWritable(path: String)
    /// There are more data files than a generation may have.
    case tooManyFiles(limit: Int)
    /// A data file cannot be opened or read.
    case fileUnreadable(name: String, SystemCallError)
    /// An entry with the name of a data file is something else: a directory, a FIFO, a symbolic link.
    case fileNotRegular(name: String)
    /// Group or everybody may write the file.
    case fileWritable(name: String)
    /// The file is larger than 64 MiB of rules or 16 GiB of facts.
    case fileTooLarge(name: String, byteCount: Int, limit: Int)
    /// Nearly all of the file is a hole: somebody made it longer and did not write to it.
    case fileSparse(name: String, byteCount: Int)
    /// The size changed while the file was copied: it was being written in place.
    case fileChanged(name: String)
    /// The content of the file is refused; the code is the data file's own.
    case dataFile(name: String, DataFileError)
    /// The rules cannot be read; the code is that of the first error in them.
    case rules(name: String, RulesSourceError)
    /// A compiled rules file of a version before rules travelled as JSON.
    case rulesFormatOld(name: String)
    /// A test that the rules carry fails.
    case embeddedTestFailed(name: String, test: String, differences: String)
    /// A generation cannot be written into `stateDirectory`: the disk is full, or nobody may write there.
    case copyNotMade(name: String, directory: String, SystemCallError)
    /// A facts file lacks a fact that the rules declare, or has it of another kind; the code is the data file's own.
    case factsUnfit(name: String, rulesName: String, DataFileError)
    /// The app is not in `apps`.
    case appNotConfigured(name: String, appAppleId: Int64)
    /// The environment is not among the `environments` of the app.
    case environmentNotConfigured(name: String, appAppleId: Int64, Environment)
    /// Two files of the same kind are for one app in one environment.
    case duplicateFile(name: String, other: String)
    /// The file says that it was built more than a day from now.
    case builtInFuture(name: String, builtAtMilliseconds: Int64)
    /// There are no rules any more for an app and environment that is configured and was served.
    case rulesFileMissing(appAppleId: Int64, Environment, lastName: String)
    /// There is no last good generation.
    case noLastGood
    /// The last good generation was changed on the disk.
    case lastGoodDamaged(name: String)
    /// A manifest is not as a loader writes it.
    case manifestInvalid
    /// The kernel refused memory or a descriptor.
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
        case .fileSparse: "file-sparse"
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
    /// A sentence for people: what is wrong, and where.
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
