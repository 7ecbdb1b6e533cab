internal import AppStoreServerAPI

/// Collects the lines of a journal that its knowledge needs. Each of them stays as it was written, with its time. All other
/// lines can fall away: later lines have made them meaningless.
struct JournalCompaction {
    private var count = 0
    private var first: NumberedLine?
    private var items: [CatalogueItem: ItemLines] = [:]
    private var defaults: [ProductLocale: DefaultLines] = [:]

    /// Takes the next line of the journal into account.
    mutating func add(_ line: JournalLine) {
        count += 1
        let line = NumberedLine(number: count, line: line)
        switch line.line.event {
        case .begun: first = line
        // A delete that was begun tells nothing: only its outcome counts.
        case .deleteStarted: break
        case .uploadStarted(let item, _), .uploadDone(let item, _), .deleteDone(let item),
            .refused(let item, _), .listed(let item, _):
            items[item, default: ItemLines()].add(line)
        case .defaultStarted(let place, _), .defaultSet(let place, _), .defaultRefused(let place, _),
            .defaultAsked(let place, _):
            defaults[place, default: DefaultLines()].add(line)
        }
    }

    /// The text of a journal with the collected lines alone, in their order.
    var text: [UInt8] {
        var numbered: [Int: JournalLine] = [:]
        for line in [first].compactMap({ $0 }) + items.values.flatMap(\.lines)
            + defaults.values.flatMap(\.lines)
        {
            numbered[line.number] = line.line
        }
        var text: [UInt8] = []
        var checksum: UInt64 = 0
        for (_, line) in numbered.sorted(by: { $0.key < $1.key }) {
            let (bytes, next) = line.bytes(after: checksum)
            text += bytes
            checksum = next
        }
        return text
    }
}

/// A line and its place in the journal, counted from 1.
private struct NumberedLine {
    let number: Int
    let line: JournalLine
}

/// The lines about an image or a message that its knowledge needs, at most seven.
private struct ItemLines {
    private var uploadStarted: NumberedLine?
    /// The line from which the time of the upload is known.
    private var uploaded: NumberedLine?
    private var deleted: NumberedLine?
    private var refused: NumberedLine?
    private var approved: NumberedLine?
    /// The last line about the state, and the line before it: without that, the last one would not be a change.
    private var state: (last: NumberedLine?, former: NumberedLine?)

    /// The lines. A line may stand more than once.
    var lines: [NumberedLine] {
        [uploadStarted, uploaded, deleted, refused, approved, state.last, state.former].compactMap { $0 }
    }

    mutating func add(_ line: NumberedLine) {
        switch line.line.event {
        case .uploadStarted:
            (uploadStarted, uploaded, refused) = (line, nil, nil)
        case .uploadDone: uploaded = line
        case .deleteDone:
            deleted = line
            state = (line, state.last)
        case .refused: refused = line
        case .listed(_, let found):
            state = (line, state.last)
            if found != nil, uploaded == nil { uploaded = line }
            if found == .approved { approved = line }
        default: break
        }
    }
}

/// The lines about a default message that its knowledge needs.
private struct DefaultLines {
    /// The line that says for sure which default message is set.
    private var settled: NumberedLine?
    /// The line about a call whose outcome is not in the journal.
    private var started: NumberedLine?

    var lines: [NumberedLine] { [settled, started].compactMap { $0 } }

    mutating func add(_ line: NumberedLine) {
        switch line.line.event {
        case .defaultSet, .defaultAsked: (settled, started) = (line, nil)
        case .defaultStarted:
            // After two calls in a row without a known outcome, nobody knows what was set before them.
            if started != nil { settled = nil }
            started = line
        // The refused call has changed nothing.
        case .defaultRefused: started = nil
        default: break
        }
    }
}
