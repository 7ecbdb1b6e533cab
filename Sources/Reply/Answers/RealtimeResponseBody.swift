public import DataFiles
public import Decisions
internal import JSON
public import Vocabulary

/// What the App Store server is told to show: Apple's RealtimeResponseBody, which has exactly one member.
public enum RealtimeResponseBody: Sendable, Hashable {
    /// An approved text message.
    case message(messageIdentifier: UUID)
    /// Another product of the same group, beside a message without image.
    case alternateProduct(messageIdentifier: UUID, productId: String, billingPlanType: BillingPlanType?)

    /// What a decision serves, by the file that it was made with. Nil where nothing is served, and for what would
    /// have to be signed first.
    public init?(_ decision: Decision, in file: RulesFile) {
        guard case .serve(let kind, let identifier, let outcomeIndex) = decision.outcome else { return nil }
        switch kind {
        case .message: self = .message(messageIdentifier: identifier)
        case .switch:
            guard case .switch(_, let productId, let plan)? = file.outcome(at: outcomeIndex) else {
                return nil
            }
            self = .alternateProduct(
                messageIdentifier: identifier,
                productId: productId,
                billingPlanType: plan
            )
        case .nothing, .offer, .advancedCommerce: return nil
        }
    }

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
        case .alternateProduct(let identifier, let productId, let plan):
            var members: [(String, JSONNode)] = [
                ("messageIdentifier", .string(identifier.description)), ("productId", .string(productId)),
            ]
            if let plan { members.append(("billingPlanType", .string(plan.rawValue))) }
            return JSONNode.object([("alternateProduct", .object(members))]).serialized()
        }
    }

    private static let messageHead = Array(#"{"message":{"messageIdentifier":""#.utf8)
    private static let tail = Array(#""}}"#.utf8)
}
