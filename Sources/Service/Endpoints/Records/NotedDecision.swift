internal import DataFiles
internal import Decisions
internal import OfferSigning
internal import SignedPayloads
internal import System
internal import Vocabulary

/// What the record of one decision is made of, as the bytes that a worker hands on. It has no signature and no nonce, and
/// keeps numbers in place of names: making it retains nothing, allocates nothing, and touches little memory.
///
/// Numbers of 64 bits stand in front, then the draws, then the texts.
///
///     let noted = NotedDecision(message)            // of bytes that NotedDecision.append(…) has made
///     noted?.rule                                   // 3: the fourth rule of the file
struct NotedDecision {
    /// The numbers in the order of the bytes.
    private enum Place: Int {
        case sequence, time, signedDate, app, requestHigh, requestLow, messageHigh, messageLow
        case verifyMicroseconds, totalMicroseconds
        /// The rule and the arm, each plus 1; 0 means none.
        case ruleAndArm
        /// The message plus 1, and the number of the locale's string.
        case messageAndLocale
        /// The same as `ruleAndArm` for the shadow.
        case shadowRuleAndArm
        /// The shadow's message plus 1, and the shadow's reason plus 1; a reason of 0 means that there is no shadow.
        case shadowMessageAndReason
        /// Bytes, the lowest first: reason, environment, kind of what is served, 1 for a subscriber who is held out, draws.
        case smallNumbers
        /// The lengths of the subscriber's identifier and of the product.
        case lengths
        /// The lengths of the locale and of the offer's identifier, the latter plus 1; 0 means that there is no offer.
        case moreLengths
    }

    /// Appends the bytes of a decision to `bytes`.
    static func append(
        _ decision: Decision,
        serving outcome: SignedOutcome?,
        to asked: RealtimeRequest,
        sequence: UInt64,
        nowMilliseconds: Int64,
        timing: RequestTiming,
        to bytes: inout TextBuffer
    ) {
        let (shadow, draws) = (decision.shadow, decision.assigned)
        bytes.append(word: sequence)
        bytes.append(word: UInt64(bitPattern: nowMilliseconds))
        bytes.append(word: UInt64(bitPattern: asked.signedDate))
        bytes.append(word: UInt64(bitPattern: asked.appAppleId))
        bytes.append(word: asked.requestIdentifier.high)
        bytes.append(word: asked.requestIdentifier.low)
        bytes.append(word: outcome?.messageIdentifier.high ?? 0)
        bytes.append(word: outcome?.messageIdentifier.low ?? 0)
        bytes.append(word: timing.verifyMicroseconds)
        bytes.append(word: timing.totalMicroseconds)
        bytes.append(word: pair(decision.ruleIndex, decision.armIndex))
        bytes.append(word: number(decision.messageIndex) | UInt64(decision.locale.number) << 32)
        bytes.append(word: pair(shadow?.ruleIndex, shadow?.armIndex))
        bytes.append(word: number(shadow?.messageIndex) | number(shadow?.reason.number) << 32)
        let small = UInt64(decision.reason.number) | UInt64(asked.environment.number) << 8
        let kind = UInt64(outcome?.kind.rawValue ?? 0) << 16
        bytes.append(word: small | kind | (decision.isHeldOut ? 1 << 24 : 0) | UInt64(draws.count) << 32)
        var offer: String?
        if case .offer(let signed, _) = outcome?.content { offer = signed.offerIdentifier }
        bytes.append(word: pair(asked.originalTransactionId.utf8.count - 1, asked.productId.utf8.count - 1))
        bytes.append(word: pair(asked.userLocale.utf8.count - 1, offer?.utf8.count))
        for draw in draws {
            bytes.append(word: pair(draw.ruleIndex, draw.armIndex))
            bytes.append(word: UInt64(draw.step.number))
        }
        bytes.append(string: asked.originalTransactionId)
        bytes.append(string: asked.productId)
        bytes.append(string: asked.userLocale)
        if let offer { bytes.append(string: offer) }
    }

    private static func number(_ index: Int?) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: (index ?? -1) &+ 1))
    }

    private static func pair(_ first: Int?, _ second: Int?) -> UInt64 { number(first) | number(second) << 32 }

    // MARK: - The process that writes the record

    private let words: [17 of UInt64]
    /// The places of the draws and of the texts in the message.
    private let draws: Range<Int>
    let originalTransactionId: Range<Int>
    let productId: Range<Int>
    let userLocale: Range<Int>
    let offerIdentifier: Range<Int>?

    /// Reads what ``append(_:serving:to:sequence:nowMilliseconds:timing:to:)`` has made. Nil when the lengths do not fit the
    /// message. No number is believed: a rule or a message that the file lacks has no name.
    init?(_ message: Span<UInt8>) {
        var words = [17 of UInt64](repeating: 0)
        let isWhole = message.withRawBytes { bytes in
            for index in words.indices {
                guard let word = bytes.uint64(at: index * 8) else { return false }
                words[index] = word
            }
            return true
        }
        guard isWhole else { return nil }
        var end = words.count * 8
        func next(_ length: UInt64) -> Range<Int> {
            defer { end += Int(length) }
            return end..<end + Int(length)
        }
        let (lengths, more) = (words[Place.lengths.rawValue], words[Place.moreLengths.rawValue])
        draws = next((words[Place.smallNumbers.rawValue] >> 32 & 0xFF) * Self.drawByteCount)
        originalTransactionId = next(lengths & 0xFFFF_FFFF)
        productId = next(lengths >> 32)
        userLocale = next(more & 0xFFFF_FFFF)
        offerIdentifier = more >> 32 == 0 ? nil : next((more >> 32) - 1)
        guard end <= message.count else { return nil }
        self.words = words
    }
}

extension NotedDecision {
    /// A rule that was drawn and could not be served.
    struct Draw {
        let rule: Int
        let arm: Int?
        let step: Assignment.Step
    }

    var sequence: UInt64 { self[.sequence] }
    var timeMilliseconds: Int64 { Int64(bitPattern: self[.time]) }
    var signedDateMilliseconds: Int64 { Int64(bitPattern: self[.signedDate]) }
    var appAppleId: Int64 { Int64(bitPattern: self[.app]) }
    var requestIdentifier: UUID { UUID(high: self[.requestHigh], low: self[.requestLow]) }
    var environment: Environment? { Environment.byNumber[at: byte(1)] }
    var reason: DecisionReason? { DecisionReason.byNumber[at: byte(0)] }
    var isHeldOut: Bool { byte(3) != 0 }
    var rule: Int? { low(.ruleAndArm) }
    var arm: Int? { high(.ruleAndArm) }
    var message: Int? { low(.messageAndLocale) }
    /// The locale whose message is served, as a string of the rules file, or `none`.
    var locale: EntryReference { EntryReference(UInt32(self[.messageAndLocale] >> 32)) }
    /// The kind of what is served; nil when nothing is served.
    var servedKind: OutcomeKind? {
        OutcomeKind(rawValue: UInt32(byte(2))).flatMap { $0 == .nothing ? nil : $0 }
    }
    var messageIdentifier: UUID { UUID(high: self[.messageHigh], low: self[.messageLow]) }
    var shadowReason: DecisionReason? {
        high(.shadowMessageAndReason).flatMap { DecisionReason.byNumber[at: $0] }
    }
    var shadowRule: Int? { low(.shadowRuleAndArm) }
    var shadowArm: Int? { high(.shadowRuleAndArm) }
    var shadowMessage: Int? { low(.shadowMessageAndReason) }
    var verifyMicroseconds: UInt64 { self[.verifyMicroseconds] }
    var totalMicroseconds: UInt64 { self[.totalMicroseconds] }
    var drawCount: Int { draws.count / Int(Self.drawByteCount) }

    /// The draw at a place, counted from 0, of the message that this was read from.
    func draw(at index: Int, of message: Span<UInt8>) -> Draw? {
        let start = draws.lowerBound + index * Int(Self.drawByteCount)
        return message.withRawBytes { bytes in
            guard let pair = bytes.uint64(at: start), let step = bytes.uint64(at: start + 8),
                let rule = Self.index(pair & 0xFFFF_FFFF),
                let step = Assignment.Step.byNumber[at: Int(clamping: step)]
            else { return nil }
            return Draw(rule: rule, arm: Self.index(pair >> 32), step: step)
        }
    }

    fileprivate static let drawByteCount: UInt64 = 16

    private subscript(place: Place) -> UInt64 { words[place.rawValue] }
    private func low(_ place: Place) -> Int? { Self.index(self[place] & 0xFFFF_FFFF) }
    private func high(_ place: Place) -> Int? { Self.index(self[place] >> 32) }
    private func byte(_ index: UInt64) -> Int { Int(self[.smallNumbers] >> (index * 8) & 0xFF) }
    private static func index(_ number: UInt64) -> Int? { number == 0 ? nil : Int(number) - 1 }
}

extension Environment {
    /// The number of the environment in a ``NotedDecision``.
    fileprivate var number: Int {
        switch self {
        case .production: 0
        case .sandbox: 1
        case .xcode: 2
        case .localTesting: 3
        }
    }

    fileprivate static let byNumber: [Environment] = allCases.sorted { $0.number < $1.number }
}

extension Assignment.Step {
    /// The number of the step in a ``NotedDecision``.
    fileprivate var number: Int {
        switch self {
        case .arm: 0
        case .caps: 1
        case .approval: 2
        case .locale: 3
        case .signing: 4
        }
    }

    fileprivate static let byNumber: [Assignment.Step] = allCases.sorted { $0.number < $1.number }
}

extension Array {
    /// The element at a place; nil when there is none.
    fileprivate subscript(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
