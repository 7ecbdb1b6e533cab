internal import JSON
public import Rules
public import System

public enum Answer: Sendable, Hashable {
    case message(RealtimeResponseBody)
    /// The body `{}` with status 200, for services whose setting `noAnswer` is `empty`. Apple does not document what it
    /// means.
    case emptyObject
    case problem(Problem)

    public init(serving outcome: SignedOutcome?, noAnswerIsEmpty: Bool = false) {
        if let outcome {
            self = .message(RealtimeResponseBody(outcome))
        } else {
            self = noAnswerIsEmpty ? .emptyObject : .problem(.noAnswer)
        }
    }

    public var status: Int {
        switch self {
        case .message, .emptyObject: 200
        case .problem(let problem): problem.status
        }
    }

    public var contentType: String {
        switch self {
        case .message, .emptyObject: RealtimeResponseBody.contentType
        case .problem: ProblemDocument.contentType
        }
    }

    public var body: [UInt8] {
        switch self {
        case .message(let body): body.json
        case .emptyObject: Array("{}".utf8)
        case .problem(let problem): ProblemDocument.body(of: problem)
        }
    }
}

/// Apple's RealtimeResponseBody, which tells the App Store server what to show. It has exactly one member.
public enum RealtimeResponseBody: Sendable, Hashable {
    case message(messageIdentifier: UUID)
    /// Beside a message without image.
    case alternateProduct(messageIdentifier: UUID, productId: String, billingPlanType: BillingPlanType?)
    /// Beside a message without image and bullet points.
    case promotionalOffer(messageIdentifier: UUID, SignedOutcome.PromotionalOfferSignature)
    /// `advancedCommerceData` is base64.
    case advancedCommerceInfo(messageIdentifier: UUID, advancedCommerceData: String)

    public init(_ outcome: SignedOutcome) {
        let identifier = outcome.messageIdentifier
        switch outcome.content {
        case .message: self = .message(messageIdentifier: identifier)
        case .switch(let productId, let plan):
            self = .alternateProduct(
                messageIdentifier: identifier, productId: productId, billingPlanType: plan)
        case .offer(_, let signature):
            self = .promotionalOffer(messageIdentifier: identifier, signature)
        case .advancedCommerce(let data):
            self = .advancedCommerceInfo(messageIdentifier: identifier, advancedCommerceData: data)
        }
    }

    public static let contentType: String = "application/json"

    public var json: [UInt8] {
        switch self {
        case .message(let identifier):
            var text = TextBuffer(reservingByteCount: 128)
            text.append(#"{"message":{"messageIdentifier":""#)
            text.append(identifier)
            text.append(#""}}"#)
            return text.bytes
        case .alternateProduct(let identifier, let productId, let plan):
            return Self.json("alternateProduct", identifier) { value in
                value.add("productId", productId)
                if let plan { value.add("billingPlanType", plan.rawValue) }
            }
        case .promotionalOffer(let identifier, .v1(let signature)):
            return Self.json("promotionalOffer", identifier) { value in
                value.add("promotionalOfferSignatureV1", signature.object)
            }
        case .promotionalOffer(let identifier, .v2(let token)):
            return Self.json("promotionalOffer", identifier) { value in
                value.add("promotionalOfferSignatureV2", token)
            }
        case .advancedCommerceInfo(let identifier, let data):
            return Self.json("advancedCommerceInfo", identifier) { value in
                value.add("advancedCommerceData", data)
            }
        }
    }

    private static func json(
        _ name: StaticString, _ messageIdentifier: UUID, _ addMembers: (inout JSONObjectWriter) -> Void
    ) -> [UInt8] {
        var value = JSONObjectWriter(reservingByteCount: 1024)
        value.add("messageIdentifier", messageIdentifier.description)
        addMembers(&value)
        var body = JSONObjectWriter(reservingByteCount: 1088)
        body.add(name, value)
        return body.finished()
    }
}
