/// The reason why bytes are not a PNG that can be shown.
package enum PNGError: Error, Hashable, CustomStringConvertible {
    case notPNG
    /// What is wrong with the file.
    case damaged(String)

    package var description: String {
        switch self {
        case .notPNG: "no PNG signature"
        case .damaged(let words): words
        }
    }
}
