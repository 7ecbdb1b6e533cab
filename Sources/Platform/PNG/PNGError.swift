public import Vocabulary

/// The reason why bytes are not a PNG that can be shown.
public enum PNGError: CodedError, Hashable, CustomStringConvertible {
    /// The bytes do not begin with the signature of a PNG file.
    case notPNG
    /// The file ends inside a chunk, or before the chunk IEND; the number is the offset of that chunk.
    case truncated(offsetBytes: Int)
    /// The first chunk is not a header of 13 bytes, or its values contradict the PNG specification.
    case badHeader
    /// The checksum (CRC-32) of a chunk does not fit its bytes.
    case badChecksum(chunk: String, offsetBytes: Int)
    /// A chunk has a length above 2^31 - 1 or a type with other characters than letters, stands in the wrong place, or is
    /// a critical chunk that the PNG specification does not know.
    case badChunk(offsetBytes: Int)
    /// The file has no chunk IDAT, or it lacks the palette that its colour type needs.
    case incomplete
    /// The image has more pixels than the caller wants to decode.
    case tooManyPixels(pixelCount: Int, limitCount: Int)
    /// libpng cannot decode the pixels; the text has its words.
    case undecodable(String)

    /// The stable code, for example `png.truncated`.
    public var code: String {
        switch self {
        case .notPNG: "png.not-png"
        case .truncated: "png.truncated"
        case .badHeader: "png.bad-header"
        case .badChecksum: "png.bad-checksum"
        case .badChunk: "png.bad-chunk"
        case .incomplete: "png.incomplete"
        case .tooManyPixels: "png.too-many-pixels"
        case .undecodable: "png.undecodable"
        }
    }

    /// The error as a message for people.
    public var description: String {
        switch self {
        case .notPNG: "no PNG signature"
        case .truncated(let offset): "ends inside the chunk at byte \(offset)"
        case .badHeader: "a wrong header (IHDR)"
        case .badChecksum(let chunk, let offset): "a wrong checksum of the chunk \(chunk) at byte \(offset)"
        case .badChunk(let offset): "a wrong or misplaced chunk at byte \(offset)"
        case .incomplete: "no image data, or no palette"
        case .tooManyPixels(let count, let limit): "\(count) pixels, more than the limit of \(limit)"
        case .undecodable(let words): "pixels that cannot be decoded: \(words)"
        }
    }
}
