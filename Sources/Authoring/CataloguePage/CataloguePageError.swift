public import Catalogue
public import PNG
public import Vocabulary

/// The reason why no page can be made.
public enum CataloguePageError: CodedError, Hashable, CustomStringConvertible {
    /// The file of an image cannot be read any more.
    case imageUnreadable(file: String, ImageFiles.Problem)
    /// The file of an image has changed since the catalogue was read.
    case imageChanged(file: String)
    /// The pixels of an image cannot be decoded.
    case imageDamaged(file: String, PNGError)

    /// The stable code, for example `catalogue-page.image-changed`.
    public var code: String {
        switch self {
        case .imageUnreadable: "catalogue-page.image-unreadable"
        case .imageChanged: "catalogue-page.image-changed"
        case .imageDamaged: "catalogue-page.image-damaged"
        }
    }

    /// The error as a message for people.
    public var description: String {
        switch self {
        case .imageUnreadable(let file, let problem): "\(file): \(problem.words)"
        case .imageChanged(let file): "\(file) has changed since the catalogue was read"
        case .imageDamaged(let file, let error): "\(file): \(error)"
        }
    }
}

extension ImageFiles.Problem {
    fileprivate var words: String {
        switch self {
        case .missing: "no such file"
        case .tooLarge: "longer than a catalogue allows"
        case .notRegular: "not a regular file"
        case .unreadable(let words): words
        }
    }
}
