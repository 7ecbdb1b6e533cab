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

    /// The first byte of the packed form. Another form has another number.
    private static let form: UInt64 = 1

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
        // A few rows have hundreds of bytes, and each further one adds about a hundred.
        var writer = PackedWriter(reservingByteCount: 512 + rows.count * 96)
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
                    writer.add((0..<8).map { UInt8(truncatingIfNeeded: half >> UInt64(56 - 8 * $0)) })
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

extension PackedRows {
    /// Unpacks rows; nil when the bytes are damaged or have another form.
    ///
    /// - Parameters:
    ///   - bytes: what ``bytes(of:upTo:)`` returned.
    ///   - owner: whose rows they are.
    init?(_ bytes: ArraySlice<UInt8>, of owner: StateOwner) {
        var reader = PackedReader(bytes)
        func count() -> Int? {
            reader.number().flatMap { $0 <= UInt64(Self.greatestRowCount) ? Int($0) : nil }
        }
        guard reader.number() == Self.form, let notifications = reader.number().map(Int64.init(bitPattern:)),
            let transactions = reader.number().map(Int64.init(bitPattern:)),
            let renewals = reader.number().map(Int64.init(bitPattern:)),
            let transactionCount = count(), let renewalCount = count(), let notificationCount = count()
        else { return nil }
        mark = StateMark(
            notifications: notifications,
            transactions: transactions,
            renewals: renewals,
            synchronizations: 0
        )
        rows = SubscriberRows(originalTransactionID: owner.id)
        guard let transactions = Self.parts(transactionCount, TransactionColumns.self, &reader, owner),
            let renewals = Self.parts(renewalCount, RenewalColumns.self, &reader, owner),
            let notifications = Self.notifications(notificationCount, of: renewals, &reader, owner),
            reader.isAtEnd
        else { return nil }
        rows.transactions = transactions
        rows.renewals = renewals
        rows.notifications = notifications
    }

    private static func parts<Columns: TableColumns>(
        _ count: Int,
        _: Columns.Type,
        _ reader: inout PackedReader,
        _ owner: StateOwner
    ) -> [PartRow<Columns>]? {
        var unpacking = ColumnUnpacking(reader)
        var rows: [PartRow<Columns>] = []
        rows.reserveCapacity(count)
        var last: Int64 = 0
        for _ in 0..<count {
            guard let id = unpacking.reader.id(after: &last),
                let digest = unpacking.reader.bytes(count: digestByteCount),
                let (source, unfit, columns) = unpack(&unpacking, Columns.self)
            else { return nil }
            rows.append(
                PartRow(
                    id: id,
                    digest: Array(digest),
                    app: owner.app,
                    environment: owner.environment,
                    source: source,
                    receivedAt: 0,
                    values: StoredColumns(columns),
                    unfit: unfit
                )
            )
        }
        reader = unpacking.reader
        return rows
    }

    private static func unpack<Columns: TableColumns>(
        _ unpacking: inout ColumnUnpacking,
        _: Columns.Type
    ) -> (source: String, unfit: Set<String>, columns: Columns)? {
        unpacking.beginRow()
        var (source, names): (String?, String?)
        unpacking.visit("source", &source)
        unpacking.visit("unfit", &names)
        var columns = Columns()
        columns.visit(&unpacking)
        unpacking.endRow()
        guard !unpacking.isDamaged, let source else { return nil }
        return (source, UnfitColumns.names(names), columns)
    }

    private static func notifications(
        _ count: Int,
        of renewals: [PartRow<RenewalColumns>],
        _ reader: inout PackedReader,
        _ owner: StateOwner
    ) -> [NotificationRow]? {
        var unpacking = ColumnUnpacking(reader)
        var rows: [NotificationRow] = []
        rows.reserveCapacity(count)
        var last: Int64 = 0
        for _ in 0..<count {
            guard let id = unpacking.reader.id(after: &last), let uuid = unpacking.reader.uuid(),
                let place = unpacking.reader.number()
            else { return nil }
            var digest: [UInt8]?
            if place == 1 {
                guard let content = unpacking.reader.bytes(count: digestByteCount) else { return nil }
                digest = Array(content)
            } else if place > 1 {
                guard place - 2 < UInt64(renewals.count) else { return nil }
                digest = renewals[Int(place - 2)].digest
            }
            guard let (source, unfit, columns) = unpack(&unpacking, NotificationColumns.self) else {
                return nil
            }
            rows.append(
                NotificationRow(
                    id: id,
                    owner: owner,
                    uuid: uuid,
                    source: source,
                    unfit: unfit,
                    renewalDigest: digest,
                    columns: columns
                )
            )
        }
        reader = unpacking.reader
        return rows
    }
}

extension PackedReader {
    /// Reads the number of a row, which is greater than that of the row before.
    fileprivate mutating func id(after last: inout Int64) -> Int64? {
        guard let step = number().flatMap(Int64.init(exactly:)), step > 0 else { return nil }
        let (id, overflows) = last.addingReportingOverflow(step)
        last = id
        return overflows ? nil : id
    }

    /// Reads the name of a notification.
    fileprivate mutating func uuid() -> String? {
        guard let header = number() else { return nil }
        if header > 0 { return text(byteCount: header - 1) }
        guard let bytes = bytes(count: 16) else { return nil }
        let halves = [bytes.prefix(8), bytes.suffix(8)].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
        return UUID(high: halves[0], low: halves[1]).description
    }
}
