internal import Vocabulary

extension PackedRows {
    /// Unpacks rows; nil when the bytes are damaged or have another form.
    ///
    /// - Parameters:
    ///   - bytes: what ``bytes(of:upTo:)`` returned.
    ///   - owner: whose rows they are.
    ///   - last: the numbers that the store has; rows cannot be packed up to greater ones.
    init?(_ bytes: ArraySlice<UInt8>, of owner: StateOwner, upTo last: StateMark) {
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
        guard notifications <= last.notifications, transactions <= last.transactions,
            renewals <= last.renewals
        else { return nil }
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
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return UUID(high: half(bytes.prefix(8)), low: half(bytes.suffix(8))).description
    }
}
