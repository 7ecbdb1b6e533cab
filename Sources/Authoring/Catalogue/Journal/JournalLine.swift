internal import AppStoreServerAPI
internal import Cryptography
internal import JSON
internal import Vocabulary

/// One line of a journal: a checksum of 16 hexadecimal digits, a space, a JSON object, a line feed.
///
/// The checksum covers the JSON text and the checksum of the line before. So a line that was changed, removed, added or moved
/// is noticed.
struct JournalLine {
    /// The longest line in bytes. Names, products and locales are limited, so a line of this program has less than 2,000.
    static let byteCount = 16 << 10
    /// The value of `journal` in the first line.
    static let format: Int64 = 1

    let event: JournalEvent
    /// The time of the event, milliseconds since 1970.
    let time: Int64

    /// Returns the bytes of the line, and its checksum for the next line.
    func bytes(after checksum: UInt64) -> (bytes: [UInt8], checksum: UInt64) {
        let text = JSONNode.object([("at", .integer(time))] + Self.members(of: event)).serialized()
        let next = Self.checksum(of: text.span, after: checksum)
        return (Array("\(Self.digits(next)) ".utf8) + text + [UInt8(ascii: "\n")], next)
    }

    static func checksum(of text: Span<UInt8>, after checksum: UInt64) -> UInt64 {
        var hasher = SHA256Hasher()
        hasher.update(Array(digits(checksum).utf8).span)
        hasher.update(text)
        return hasher.finalize().leadingWord
    }

    private static func digits(_ checksum: UInt64) -> String {
        HexadecimalDigits.text(of: checksum, count: 16)
    }

    /// The parts of a line before its JSON text is understood.
    struct Parts {
        let checksum: UInt64
        let text: [UInt8]

        /// Splits a line without its line feed.
        init?(_ line: ArraySlice<UInt8>) {
            let head = line.prefix(17)
            guard line.count > 17, line.count <= JournalLine.byteCount, head.last == UInt8(ascii: " "),
                head.dropLast().allSatisfy(Self.isDigit),
                let checksum = UInt64(String(decoding: head.dropLast(), as: UTF8.self), radix: 16)
            else { return nil }
            self.checksum = checksum
            text = Array(line.dropFirst(17))
        }

        /// Returns true for a hexadecimal digit as this program writes it, in lower case.
        static func isDigit(_ byte: UInt8) -> Bool {
            HexadecimalDigits.value(of: byte) != nil
                && !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
        }
    }

    private static func members(of event: JournalEvent) -> [(String, JSONNode)] {
        switch event {
        case .begun(let owner):
            [
                ("journal", .integer(format)), ("app", .string(owner.bundleId)),
                ("environment", .string(owner.environment.rawValue)),
            ] + (owner.server.map { [("server", .string($0))] } ?? [])
        case .uploadStarted(let item, let name):
            members("upload-started", item) + [("name", .string(name))]
        case .uploadDone(let item, let outcome):
            members("upload-done", item) + [("outcome", .string(outcome.rawValue))]
        case .deleteStarted(let item): members("delete-started", item)
        case .deleteDone(let item): members("delete-done", item)
        case .refused(let item, let code): members("refused", item) + [("code", .string(code))]
        case .listed(let item, let state):
            members("listed", item) + [("state", state.map { .string($0.rawValue) } ?? .null)]
        case .defaultStarted(let place, let identifier): members("default-started", place, identifier)
        case .defaultSet(let place, let identifier): members("default-set", place, identifier)
        case .defaultRefused(let place, let identifier): members("default-refused", place, identifier)
        case .defaultAsked(let place, let identifier): members("default-asked", place, identifier)
        }
    }

    private static func members(_ word: String, _ item: CatalogueItem) -> [(String, JSONNode)] {
        [
            ("event", .string(word)), ("kind", .string(item.kind.rawValue)),
            ("id", .string(item.identifier.description)),
        ]
    }

    private static func members(_ word: String, _ place: ProductLocale, _ identifier: UUID?) -> [(
        String, JSONNode
    )] {
        [
            ("event", .string(word)), ("product", .string(place.product)), ("locale", .string(place.locale)),
            ("id", identifier.map { .string($0.description) } ?? .null),
        ]
    }
}
