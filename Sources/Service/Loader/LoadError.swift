public import Configuration
public import DataFiles
public import OfferSigning
public import RulesReading
public import SignedPayloads
public import System
public import Vocabulary

/// The reason why a load was refused. The generation that serves goes on serving.
public enum LoadError: CodedError, Hashable, CustomStringConvertible {
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
    /// The file is larger than `rulesBytes` or `factsBytes`.
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

    /// The stable code of the error.
    public var code: String {
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
