internal import Configuration
internal import Cryptography
internal import FastCGI
internal import JSON
internal import NotificationStore
internal import Pool
internal import Reply
internal import System

extension Recorder {
    /// For each receiver of notifications its name without secrets, and how long the first notification waits that it does
    /// not have yet.
    var forwardLags: [(receiver: String, seconds: UInt64)] {
        let now = timing.wallMilliseconds()
        return mailbox.backlogs.map { ($0.receiver.name, $0.seconds(atMilliseconds: now)) }
    }

    var setAsideCounts: [(receiver: String, count: Int64)] {
        mailbox.backlogs.map { ($0.receiver.name, $0.setAsideCount) }
    }

    /// Answers a health check: `pong` while the store takes notifications, else the problem `store-unavailable` (503).
    func ping(_ request: borrowing FastCGIRequest) -> GatewayResponse {
        guard EndpointHandler.isRead(request) else { return refuseMethod() }
        guard condition == .open else { return GatewayResponse(.storeUnavailable, for: .notification) }
        return GatewayResponse(status: 200, contentType: "text/plain", body: Array("pong".utf8))
    }

    func status(_ request: borrowing FastCGIRequest) -> GatewayResponse {
        guard EndpointHandler.isRead(request) else { return refuseMethod() }
        let isJSON = request.withParameter("QUERY_STRING") { query in
            guard let query else { return false }
            let text = String(decoding: query.indices.map { query[$0] }, as: UTF8.self)
            return text.split(separator: "&").contains("json")
        }
        if isJSON {
            return GatewayResponse(
                status: 200,
                contentType: "application/json",
                body: JSONNode.object(fields.map { ($0.name, $0.value) }).serialized()
            )
        }
        let lines = fields.map { field in
            "\(field.name): " + String(repeating: " ", count: max(0, 24 - field.name.utf8.count))
                + StatusText.shown(field)
        }
        return GatewayResponse(
            status: 200, contentType: "text/plain", body: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    func metrics(_ request: borrowing FastCGIRequest) -> GatewayResponse {
        guard EndpointHandler.isRead(request) else { return refuseMethod() }
        let body = metricsText()
        return GatewayResponse(status: 200, contentType: MetricText.contentType, body: body)
    }

    private func refuseMethod() -> GatewayResponse {
        GatewayResponse(.methodNotAllowed, for: .notification, fields: [.allow("GET, HEAD")])
    }

    private var fields: [(name: String, value: JSONNode)] {
        let state: (String, JSONNode) =
            switch condition {
            case .opening: ("opening", .null)
            case .checking: ("checking", .null)
            case .preparing: ("preparing", .null)
            case .open: ("open", .null)
            case .failing(let error): ("failing", .string(error.code))
            }
        func number(_ value: UInt64) -> JSONNode { .integer(Int64(clamping: value)) }
        var fields: [(name: String, value: JSONNode)] = [
            ("start time", .integer(startedMilliseconds / 1000)), ("store", .string(settings.store)),
            ("store state", .string(state.0)), ("store code", state.1),
            ("waiting", .integer(Int64(waitingCount))), ("pending", .integer(Int64(mailbox.pendingCount))),
            ("stored", number(counters.total(.stored))),
            ("already there", number(counters.total(.alreadyThere))),
            ("tombstoned", number(counters.total(.tombstoned))),
            ("not stored", number(counters.notStored)), ("late commits", number(counters.lateCommits)),
            ("last notification", counters.lastMilliseconds.map { .integer($0 / 1000) } ?? .null),
        ]
        if let offset = clockOffsets.median(atMilliseconds: timing.bootMilliseconds) {
            fields.append(("signed date offset", .integer(offset)))
        }
        for (position, end) in certificateEnds.inOrder {
            fields.append(("\(position.rawValue) ends", .integer(end / 1000)))
        }
        for (code, count) in counters.problems.sorted(by: { $0.key < $1.key }) where count > 0 {
            fields.append(("problem \(code)", number(count)))
        }
        for (receiver, seconds) in forwardLags {
            fields.append(("forward lag \(receiver)", number(seconds)))
        }
        for backlog in mailbox.backlogs {
            let (name, filter) = (backlog.receiver.name, backlog.receiver.filter.description)
            fields.append(("forward set aside \(name)", .integer(backlog.setAsideCount)))
            if !filter.isEmpty { fields.append(("forward only \(name)", .string(filter))) }
        }
        return fields
    }
}
