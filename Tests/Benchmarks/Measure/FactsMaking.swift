internal import DataFileWriting
internal import DataFiles
internal import System
internal import Vocabulary

/// Makes facts of invented subscribers.
enum FactsMaking {
    static let columns: [FactsBuilder.Column] = [
        .init(name: "paidPeriods", kind: .integer), .init(name: "inTrial", kind: .boolean),
        .init(name: "storefront", kind: .string), .init(name: "lastOfferAt", kind: .date),
        .init(name: "offersAccepted", kind: .integer), .init(name: "plan", kind: .string),
        .init(name: "startedAt", kind: .date), .init(name: "spentCents", kind: .integer),
    ]
    static let plans = ["monthly", "annual", "weekly", "family"]

    /// Returns the key of a row when keys are 614 apart. All keys are even, so odd keys are absent.
    static func key(of row: UInt64) -> UInt64 { firstKey + row * 614 }

    /// The first key, which is also the key of the first request of ``Traffic``.
    static let firstKey: UInt64 = 2_000_000_000

    /// Writes a facts file of `rowCount` rows.
    ///
    /// - Parameters:
    ///   - rowCount: the number of subscribers.
    ///   - path: the path of the file.
    ///   - keyStep: the distance between two keys.
    ///   - plan: the plan of all subscribers; nil for different plans.
    /// - Throws: the error that kept the file from being written.
    static func write(
        rowCount: Int, to path: String, keyStep: UInt64 = 614, plan: String? = nil
    ) throws {
        var builder = FactsBuilder(columns: columns)
        var random: UInt64 = 7
        let texts = plans.map { Array((plan ?? $0).utf8) }
        for row in 0..<rowCount {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let bits = Int64(bitPattern: random >> 8)
            builder.set(bits % 61, column: 0)
            builder.set(bits >> 6 & 1, column: 1)
            let storefront = [UInt8(65 + bits % 5), UInt8(65 + bits / 5 % 5), UInt8(65 + bits / 25 % 7)]
            try builder.set(storefront.span, column: 2)
            if bits & 1 == 0 { builder.set(1_700_000_000_000 + bits % 95_000_000 * 1000, column: 3) }
            builder.set(bits >> 7 & 3, column: 4)
            let text = texts[Int(bits >> 9 & 3)]
            try builder.set(text.span, column: 5)
            builder.set(1_600_000_000_000 + bits / 7 % 195_000_000 * 1000, column: 6)
            builder.set(bits / 3 % 100_000, column: 7)
            builder.commit(key: firstKey + UInt64(row) * keyStep, line: row + 2)
        }
        let stamp = DataFileStamp(
            builtAtMilliseconds: Clock.wallMilliseconds(), writerVersion: "benchmark")
        let making = FactsFileIdentity(appAppleId: Traffic.appAppleId, environment: .sandbox, stamp: stamp)
        var output = try AtomicFileWriter(path: path)
        try builder.write(making, to: &output)
        try output.commit()
    }

    /// Writes the same kind of rows as comma-separated values.
    static func writeTable(rowCount: Int, to path: String) throws {
        var output = try AtomicFileWriter(path: path)
        var text = Array("originalTransactionId,\(columns.map(\.name).joined(separator: ","))\n".utf8)
        var random: UInt64 = 7
        for row in 0..<rowCount {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let bits = Int64(bitPattern: random >> 8)
            append(Int64(key(of: UInt64(row))), to: &text)
            append(bits % 61, to: &text)
            text += bits & 64 == 0 ? Array("true,".utf8) : Array("false,".utf8)
            text += [UInt8(65 + bits % 5), UInt8(65 + bits / 5 % 5), UInt8(65 + bits / 25 % 7), 0x2C]
            if bits & 1 == 0 { append(date: 1_700_000_000 + bits % 95_000_000, to: &text) }
            text.append(0x2C)
            append(bits >> 7 & 3, to: &text)
            text += Array(plans[Int(bits >> 9 & 3)].utf8) + [0x2C]
            append(date: 1_600_000_000 + bits / 7 % 195_000_000, to: &text)
            text.append(0x2C)
            append(bits / 3 % 100_000, to: &text)
            text[text.count - 1] = 0x0A
            if text.count > 1 << 20 {
                try output.append(text.span)
                text.removeAll(keepingCapacity: true)
            }
        }
        try output.append(text.span)
        try output.commit()
    }

    /// Appends a number and a comma.
    private static func append(_ number: Int64, to text: inout [UInt8]) {
        let start = text.count
        var rest = number
        repeat {
            text.append(UInt8(0x30 + rest % 10))
            rest /= 10
        } while rest > 0
        text[start...].reverse()
        text.append(0x2C)
    }

    /// Appends a time in RFC 3339, from seconds since 1970.
    private static func append(date seconds: Int64, to text: inout [UInt8]) {
        let time = CivilTime(milliseconds: seconds * 1000)
        let parts: [(Int64, Int, UInt8)] = [
            (time.year, 4, 0x2D), (time.month, 2, 0x2D), (time.day, 2, 0x54), (time.hour, 2, 0x3A),
            (time.minute, 2, 0x3A), (time.second, 2, 0x5A),
        ]
        for (number, digits, end) in parts {
            for place in (0..<digits).reversed() {
                var divisor: Int64 = 1
                for _ in 0..<place { divisor *= 10 }
                text.append(UInt8(0x30 + number / divisor % 10))
            }
            text.append(end)
        }
    }
}
