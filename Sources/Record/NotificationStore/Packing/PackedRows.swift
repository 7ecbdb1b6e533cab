internal import Cryptography
internal import SQL
internal import Vocabulary

/// The rows of one subscription as the store keeps them beside its state: everything from which its history follows, in one piece.
///
/// The rows themselves lie all over their tables, because they came over months. A program that derives a state again reads
/// these and the rows that came since.
public struct PackedRows: Sendable, Hashable {
    /// The rows, without those after ``mark``. Their digests are cut to ``digestByteCount`` bytes. They do not say when they
    /// came, nor which parts of a notification failed a check.
    public var rows: SubscriberRows
    /// The numbers up to which these are all rows of the subscription.
    public let mark: StateMark

    /// The bytes of a digest that are kept. They tell the payloads of one subscription apart, of which there are some hundreds.
    public static let digestByteCount = 8

    /// The most rows that are packed together. A subscription has more of them after decades, or in a test.
    static let greatestRowCount = 1000

    /// The number of the packed form, which comes first. It follows from the columns, because their values have no names, and from
    /// the version of everything else, which whoever changes that raises.
    static let form: UInt64 = {
        let version = "1"
        let names = TransactionColumns.names + RenewalColumns.names + NotificationColumns.names
        let text = ([version] + names.map(\.description)).joined(separator: " ")
        return SHA256.hash(Array(text.utf8).span).bytes[..<4].reduce(0) { $0 << 8 | UInt64($1) }
    }()

    /// Adds rows that came later. Those that are there already are left out.
    mutating func add(_ newer: SubscriberRows) {
        rows.transactions += newer.transactions.filter { $0.id > mark.transactions }
        rows.renewals += newer.renewals.filter { $0.id > mark.renewals }
        rows.notifications += newer.notifications.filter { $0.id > mark.notifications }
    }

    /// Packs rows.
    ///
    /// - Parameters:
    ///   - rows: all rows of the subscription, in the order of storing.
    ///   - mark: the numbers up to which rows are packed. No row with a smaller number may appear later.
    /// - Returns: the packed form; nil when the rows cannot be packed, or are so many that it is of no use.
    static func bytes(of rows: SubscriberRows, upTo mark: StateMark) -> [UInt8]? {
        guard rows.count <= greatestRowCount, !rows.hasTooMany else { return nil }
        let transactions = rows.transactions.filter { $0.id <= mark.transactions }
        let renewals = rows.renewals.filter { $0.id <= mark.renewals }
        let notifications = rows.notifications.filter { $0.id <= mark.notifications }
        // The first rows have some hundreds of bytes, and each further one adds some tens.
        var writer = PackedWriter(reservingByteCount: 512 + rows.count * 48)
        writer.add(form)
        for number in [mark.notifications, mark.transactions, mark.renewals] {
            writer.add(UInt64(bitPattern: number))
        }
        for count in [transactions.count, renewals.count, notifications.count] { writer.add(UInt64(count)) }
        guard add(transactions, to: &writer), add(renewals, to: &writer),
            add(notifications, of: renewals, to: &writer)
        else { return nil }
        return writer.bytes
    }

    private static func add<Columns: TableColumns>(
        _ rows: [PartRow<Columns>],
        to writer: inout PackedWriter
    ) -> Bool {
        var packing = ColumnPacking()
        var last: Int64 = 0
        for row in rows {
            guard row.id > last, row.digest.count >= digestByteCount else { return false }
            writer.add(UInt64(row.id - last))
            last = row.id
            writer.add(row.digest.prefix(digestByteCount))
            pack(row.source, row.unfit, row.columns, &packing, &writer)
        }
        return packing.fits
    }

    private static func pack(
        _ source: String,
        _ unfit: Set<String>,
        _ columns: some TableColumns,
        _ packing: inout ColumnPacking,
        _ writer: inout PackedWriter
    ) {
        var source: String? = source
        packing.visit("source", &source)
        var names: String? = unfit.isEmpty ? nil : unfit.sorted().joined(separator: " ")
        packing.visit("unfit", &names)
        var columns = columns
        columns.visit(&packing)
        packing.endRow(in: &writer)
    }

    /// Each notification has its name, 16 bytes behind a 0 when it is a UUID. It has the place of its renewal info behind that of the
    /// notification before, or the digest of one that is not among the rows.
    private static func add(
        _ rows: [NotificationRow],
        of renewals: [PartRow<RenewalColumns>],
        to writer: inout PackedWriter
    ) -> Bool {
        var packing = ColumnPacking()
        var last: Int64 = 0
        var next = 0
        for row in rows {
            guard row.id > last else { return false }
            writer.add(UInt64(row.id - last))
            last = row.id
            if let uuid = UUID(row.uuid), uuid.description == row.uuid {
                writer.add(0)
                for half in [uuid.high, uuid.low] {
                    for shift in stride(from: 56, through: 0, by: -8) as StrideThrough<UInt64> {
                        writer.addByte(UInt8(truncatingIfNeeded: half >> shift))
                    }
                }
            } else {
                writer.add(UInt64(row.uuid.utf8.count) + 1)
                writer.add(row.uuid.utf8)
            }
            guard add(row.renewalDigest, of: renewals, next: &next, to: &writer) else { return false }
            pack(row.source, row.unfit, row.columns, &packing, &writer)
        }
        return packing.fits
    }

    /// Writes 0 for no digest, 1 and the digest for one of no row, or 2 and more for the place of the row.
    private static func add(
        _ digest: [UInt8]?,
        of renewals: [PartRow<RenewalColumns>],
        next: inout Int,
        to writer: inout PackedWriter
    ) -> Bool {
        guard let digest else {
            writer.add(0)
            return true
        }
        guard digest.count >= digestByteCount else { return false }
        let isNext = next < renewals.count && renewals[next].digest == digest
        if let place = isNext ? next : renewals.firstIndex(where: { $0.digest == digest }) {
            writer.add(UInt64(place) + 2)
            next = place + 1
        } else {
            writer.add(1)
            writer.add(digest.prefix(digestByteCount))
        }
        return true
    }
}
