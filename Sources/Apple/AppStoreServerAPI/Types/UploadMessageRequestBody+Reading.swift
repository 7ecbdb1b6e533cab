public import JSON
public import Vocabulary

extension UploadMessageRequestBody {
    /// Reads a message in the form in which Apple takes it. Reports every member that Apple does not have, or that
    /// has another type. Does not check lengths.
    ///
    /// - Returns: the message; nil when something is missing or wrong, which is reported.
    public init?(reading source: SourceValue) {
        guard source.isObject else { return nil }
        source.checkKeys(["header", "body", "image", "headerPosition", "bulletPoints"])
        let header = source.required("header")?.string
        let body = source.required("body")?.string
        var isComplete = true
        var image: Image?
        if let value = source.member("image") {
            image = Image(reading: value)
            isComplete = image != nil
        }
        var position: HeaderPosition?
        if let value = source.member("headerPosition") {
            position = value.choice(
                of: HeaderPosition.allCases, named: \.rawValue, MessageReason.badHeaderPosition
            ) { _ in "unknown header position" }
            isComplete = isComplete && position != nil
        }
        var points: [BulletPoint] = []
        if let value = source.member("bulletPoints") {
            let elements = value.elements
            points = elements?.compactMap { BulletPoint(reading: $0) } ?? []
            isComplete = isComplete && points.count == elements?.count
        }
        guard let header, let body, isComplete else { return nil }
        self.init(header: header, body: body, image: image, headerPosition: position, bulletPoints: points)
    }
}

extension UploadMessageRequestBody.Image {
    init?(reading source: SourceValue) {
        guard source.isObject else { return nil }
        source.checkKeys(["imageIdentifier", "altText"])
        let identifier = source.required("imageIdentifier")?.uuid(MessageReason.badIdentifier)
        let text = source.required("altText")?.string
        guard let identifier, let text else { return nil }
        self.init(imageIdentifier: identifier, altText: text)
    }
}

extension UploadMessageRequestBody.BulletPoint {
    init?(reading source: SourceValue) {
        guard source.isObject else { return nil }
        source.checkKeys(["text", "imageIdentifier", "altText"])
        let text = source.required("text")?.string
        let identifier = source.required("imageIdentifier")?.uuid(MessageReason.badIdentifier)
        let altText = source.required("altText")?.string
        guard let text, let identifier, let altText else { return nil }
        self.init(text: text, imageIdentifier: identifier, altText: altText)
    }
}

/// The reasons why a message in a JSON file is wrong. The code of a finding is the reader's subject, such as
/// `apple-message.`, and the raw value.
public enum MessageReason: String, FindingReason, CaseIterable {
    /// A member of another JSON type than Apple takes.
    case wrongType = "wrong-type"
    /// A member that Apple requires is missing.
    case missingKey = "missing-key"
    /// A member that Apple does not have.
    case unknownKey = "unknown-key"
    /// An image identifier that is not a UUID.
    case badIdentifier = "bad-identifier"
    /// A header position that Apple does not have.
    case badHeaderPosition = "bad-header-position"
}
