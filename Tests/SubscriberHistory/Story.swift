@testable import Lives
@testable import NotificationStore
import SubscriberHistory
import Support
import Testing

/// The life of a subscriber, of `Stories`: its name behind `==`, the days on which facts are looked at, and one event of ``Life``
/// on each further line. `Golden` has what must be known of it: when a payload is signed, and on those days.
struct Story: Sendable, CustomTestStringConvertible {
    let name: String
    let days: [Double]
    let events: [StoryEvent]

    var testDescription: String { name }

    var payloads: SubscriberPayloads {
        var life = Life()
        for event in events { life.perform(event) }
        return life.payloads
    }

    static let groups = Result {
        try SourceFile.paths(below: "Tests/SubscriberHistory/Stories").map {
            (path: $0, stories: try read($0))
        }
    }

    static func read(_ path: String) throws -> [Story] {
        let text = String(decoding: try SourceFile.read("\(SourceFile.root)/\(path)"), as: UTF8.self)
        return try text.split(separator: "\n== ").dropFirst().map { try Story(String($0)) }
    }

    private init(_ text: String) throws {
        let lines = text.split(separator: "\n")
        name = String(lines[0])
        let check = try StoryEvent(lines[1])
        try #require(check.name == "check")
        days = check.numbers
        events = try lines.dropFirst(2).map(StoryEvent.init)
    }
}

private struct StoryError: Error { let line: String }

/// An event with what follows its name: words, plans and offers, and values such as `price=nil`.
struct StoryEvent: Sendable {
    let name: String
    private(set) var words: [String] = []
    private(set) var plan: Plan?
    private(set) var offer: Offer?
    private(set) var values: [(name: String, value: String)] = []

    init(_ line: Substring) throws {
        let parts = line.split(separator: " ").map(String.init)
        name = parts[0]
        for part in parts.dropFirst() {
            let head = String(part.prefix { $0 != ":" })
            let changes = Self.values(part.dropFirst(head.count + 1).split(separator: ","))
            if var plan = Self.plans[head] {
                for change in changes where !plan.set(change.name, change.value) {
                    throw StoryError(line: "\(line)")
                }
                self.plan = plan
            } else if var offer = Self.offers[head] {
                for change in changes where !offer.set(change.name, change.value) {
                    throw StoryError(line: "\(line)")
                }
                self.offer = offer
            } else if part.contains("=") {
                values += Self.values([part[...]])
            } else {
                words.append(part)
            }
        }
    }

    private static let plans: [String: Plan] = [
        "plan": Plan(), "monthly": .monthly, "annual": .annual, "premium": .premium, "basic": .basic,
        "weekly": .weekly,
    ]
    private static let offers: [String: Offer] = [
        "offer": Offer(type: 0), "trial": .trial, "introductory": .introductory, "upFront": .upFront,
        "code": .code, "winBack": .winBack, "promotional": .promotional(), "retention": .retention(),
    ]

    private static func values(_ parts: [Substring]) -> [(name: String, value: String)] {
        parts.map { part in
            let name = part.prefix { $0 != "=" }
            return (String(name), String(part.dropFirst(name.count + 1)))
        }
    }

    var numbers: [Double] { words.compactMap { Double($0) } }
    var number: Int64? { words.first.flatMap { Int64($0) } }
    subscript(name: String) -> String? { values.first { $0.name == name }?.value }
    var place: Int? { self["about"].flatMap { Int($0) } }
}

extension Plan {
    fileprivate mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "product": product = value.replacing("~", with: " ")
        case "group": group = value.replacing("~", with: " ")
        case "days": days = Int64(value) ?? 30
        case "minutes": minutes = Int64(value)
        case "price": price = Int64(value)
        case "billing": billing = value
        case "quantity": quantity = Int64(value) ?? 1
        default: return false
        }
        return true
    }
}

extension Offer {
    fileprivate mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "type": type = Int64(value) ?? 0
        case "identifier": identifier = value == "nil" ? nil : value
        case "discount": discount = value
        case "price": price = Int64(value)
        case "periods": periods = Int(value) ?? 1
        default: return false
        }
        return true
    }
}

extension Life {
    fileprivate mutating func perform(_ event: StoryEvent) {
        switch event.name {
        case "day": to(event.numbers[0])
        case "wait": now += event.number ?? 0
        case "lose": isDelivered = false
        case "keep": isDelivered = true
        case "hasTransaction": hasTransaction = event.words == ["true"]
        case "hasRenewal": hasRenewal = event.words == ["true"]
        case "unfit": unfit = Set(event.words)
        case "status": status = event.number ?? 1
        case "ownership": ownership = event.words[0]
        case "transactions":
            alteringTransaction = {
                if event["only"] ?? $0.transactionID == $0.transactionID { $0.set(event.values) }
            }
        case "renewals": alteringRenewal = { $0.set(event.values) }
        case "buy": buy(event.plan ?? .monthly, event.offer)
        case "renew":
            renew(Int(event.number ?? 1), ahead: event["ahead"].flatMap { Int64($0) } ?? 0)
        case "cancel": cancel(hasSubtype: event.words != ["bare"])
        case "resume": resume(hasSubtype: event.words != ["bare"])
        case "expire": expire(event.words.first ?? "VOLUNTARY")
        case "fail": failToRenew(graceDays: event["grace"].flatMap { Int64($0) })
        case "endGrace": endGrace()
        case "recover": recover()
        case "upgrade": upgrade(event.plan ?? .monthly, event.offer)
        case "downgrade": downgrade(event.plan ?? .monthly)
        case "revert": revert()
        case "notify":
            notify(event.words[0], event.words.dropFirst().first, about: event.place)
        case "migrate": migrate(to: event.words[0])
        case "sync": sync()
        case "syncAlone": syncAlone()
        case "signRenewal": _ = signRenewal()
        case "extend": extend(days: event.number ?? 0)
        case "raisePrice": raisePrice(event.number ?? 0, isAccepted: event.words.last == "accepted")
        default: performRarely(event)
        }
    }

    private mutating func performRarely(_ event: StoryEvent) {
        switch event.name {
        case "redeem": if let offer = event.offer { redeem(offer, event.plan) }
        case "withdrawOffer": promised = nil
        case "offerWithoutPrice":
            offer?.price = nil
            promised?.price = nil
        case "refund":
            let type = event["type"] ?? "REFUND_FULL"
            refund(
                type == "nil" ? nil : type, percentage: event["percentage"].flatMap { Int64($0) },
                about: event.place, event["as"] ?? "REFUND")
        case "reverseRefund": reverseRefund(about: event.place)
        case "addSeats": addSeats(event.number ?? 1)
        case "refundSeats": refundSeats(event.number ?? 1, about: event.place)
        case "reverseSeatRefund": reverseSeatRefund(about: event.place)
        case "share": sharePeriod(from: event.numbers[0], until: event.numbers[1])
        case "coming":
            for (name, value) in event.values where !coming.set(name, value) { Issue.record("\(event)") }
        case "running":
            for (name, value) in event.values where !plan.set(name, value) { Issue.record("\(event)") }
        case "pay": pay(event.words[0], from: now)
        case "set": transactions[place].set(event.values, now: now)
        case "renewal": renewal.set(event.values)
        case "save": saved = transactions
        case "restore": transactions = saved
        case "sign", "give":
            // A purchase is given again with another identifier.
            var columns = transactions[event.number.map { Int($0) } ?? place]
            if event.name == "give" { columns.transactionID = (columns.transactionID ?? "") + "-again" }
            columns.set(event.values)
            sign(columns)
        case "forget": forget(event)
        case "covered":
            payloads.covered = stride(from: 0, to: event.numbers.count, by: 2).map {
                TimeRange(from: Life.time(event.numbers[$0]), to: Life.time(event.numbers[$0 + 1]))
            }
        default: Issue.record("no event \(event.name)")
        }
    }

    private mutating func forget(_ event: StoryEvent) {
        switch (event.words.first, event.words.last) {
        case (nil, _): payloads = .init()
        case ("transactions", "last"): payloads.transactions.removeLast()
        case ("transactions", _) where event["of"] != nil:
            payloads.transactions.removeAll { $0.columns.originalTransactionID == event["of"] }
        case ("transactions", _): payloads.transactions = []
        case ("renewals", _): payloads.renewals = []
        case ("notifications", "last"): payloads.notifications.removeLast()
        case ("notifications", "first"): payloads.notifications.removeFirst()
        case ("notifications", _): payloads.notifications = []
        default: Issue.record("no payloads \(event.words)")
        }
    }

    private mutating func sharePeriod(from start: Double, until end: Double) {
        let own = transactions[place]
        ownership = "FAMILY_SHARED"
        pay("RENEWAL", from: Life.time(start), until: Life.time(end))
        transactions[place].price = nil
        transactions[place].productID = "monthly"
        ownership = "PURCHASED"
        // The customer's own period goes on being the last one.
        transactions.swapAt(place, place - 1)
        notify("DID_RENEW", about: place - 1)
        precondition(transactions[place] == own)
    }
}

extension TableColumns {
    /// Sets columns by their names; `nil` is none.
    fileprivate mutating func set(_ values: [(name: String, value: String)], now: Int64 = 0) {
        for (name, value) in values where name != "only" {
            if name == "revoked_seat_quantity", var columns = self as? TransactionColumns {
                columns.revokedSeatQuantity = Int64(value)
                if let changed = columns as? Self { self = changed }
                continue
            }
            var setter = ColumnSetter(name: name, text: value == "nil" ? nil : value, now: now)
            visit(&setter)
            #expect(setter.isFound, "no column \(name)")
        }
    }
}

private struct ColumnSetter: ColumnVisitor {
    let name: String
    let text: String?
    let now: Int64
    var isFound = false

    private mutating func isMeant(_ column: StaticString) -> Bool {
        let isMeant = column.description == name
        if isMeant { isFound = true }
        return isMeant
    }

    mutating func callAsFunction(
        _ column: StaticString, _ value: inout String?, _: StaticString, _: StaticString
    ) {
        if isMeant(column) { value = text }
    }

    mutating func callAsFunction(
        _ column: StaticString, _ value: inout Int64?, _: StaticString, _: StaticString
    ) {
        guard isMeant(column) else { return }
        switch text {
        case "now": value = now
        case "min": value = .min
        case "max": value = .max
        default: value = text.flatMap { Int64($0) }
        }
    }

    mutating func callAsFunction(
        _ column: StaticString, _ value: inout Bool?, _: StaticString, _: StaticString
    ) {
        if isMeant(column) { value = text.map { $0 == "1" } }
    }
}
