public import Vocabulary

/// What the App Store server is told to show: Apple's RealtimeResponseBody, which has exactly one member.
public enum RealtimeResponseBody: Sendable, Hashable {
    /// An approved text message.
    case message(messageIdentifier: UUID)

    /// The media type of the body.
    public static let contentType: StaticString = "application/json"

    /// The JSON that Apple documents, UUIDs in lower case.
    public var json: [UInt8] {
        switch self {
        case .message(let identifier):
            let text = identifier.utf8
            return [UInt8](capacity: Self.messageHead.count + 36 + Self.tail.count) { output in
                for byte in Self.messageHead { output.append(byte) }
                for index in text.indices { output.append(text[index]) }
                for byte in Self.tail { output.append(byte) }
            }
        }
    }

    private static let messageHead = Array(#"{"message":{"messageIdentifier":""#.utf8)
    private static let tail = Array(#""}}"#.utf8)
}
