public import AppStoreServerAPI
public import NotificationStore
public import Vocabulary

/// The reason why a recovery or a synchronization ended early. What was stored before is stored.
public enum RecoveryError: CodedError, Hashable, CustomStringConvertible {
    /// A call to Apple's server failed.
    case api(AppStoreServerAPIError)
    /// The store failed.
    case store(NotificationStoreError)
    /// Apple's history gives the same token again and again, or refuses its own tokens, so that it has no end.
    case endlessHistory
    /// Apple's server answered for another app or environment than asked for.
    case otherOwner

    /// The stable code.
    public var code: String {
        switch self {
        case .api(let error): error.code
        case .store(let error): error.code
        case .endlessHistory: "recovery.endless-history"
        case .otherOwner: "recovery.other-owner"
        }
    }

    /// The error as one line for people.
    public var description: String {
        switch self {
        case .api(let error): error.description
        case .store(let error): error.description
        case .endlessHistory: "Apple's history does not end: the pages repeat, or their tokens are refused"
        case .otherOwner: "Apple's server answered for another app or environment"
        }
    }
}
