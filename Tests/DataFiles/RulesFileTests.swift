import Cryptography
import DataFileWriting
import DataFiles
import Support
import System
import Testing
import Vocabulary

@Suite("A rules file")
struct RulesFileTests {
    @Test("describes itself in its header")
    func header() throws {
        let file = try RulesFile(bytes: SampleModel.bytes, check: .full)
        let header = file.header
        #expect(header.kind == .rules)
        #expect(header.appAppleId == 6_745_974_591)
        #expect(header.environment == .production)
        #expect(header.generation == SampleModel.stamp.generation)
        #expect(header.builtAtMilliseconds == SampleModel.stamp.builtAtMilliseconds)
        #expect(header.writerVersion == "retentionctl 0.1.0")
        #expect(header.fileByteCount == SampleModel.bytes.count)
        let bytes = SampleModel.bytes
        let alone = try bytes.span.withRawBytes { bytes throws(DataFileError) in
            try DataFileHeader(reading: bytes)
        }
        #expect(alone == header)
        #expect(file.bundleId == "com.example.app")
        #expect(file.revision == "2026-11-21.3")
        #expect(file.metadata.map(\.key) == ["revision", "owner"])
        #expect(file.ruleCount == 5)
        #expect(file.ruleID(at: 0) == "monthly_in_november")
        #expect(file.ruleID(at: 5) == nil)
        #expect(file.messageName(at: 1) == "go_annual")
        #expect(file.messageName(at: -1) == nil)
    }

    @Test("has a digest of all its bytes except the digest")
    func digest() throws {
        let bytes = SampleModel.bytes
        let rest = Array(bytes[..<96]) + Array(bytes[128...])
        let header = try RulesFile(bytes: bytes, check: .full).header
        #expect(header.digest == SHA256.hash(rest.span))
    }

    @Test("is known by its first bytes")
    func kindOfBeginning() {
        func kind(_ bytes: [UInt8]) -> DataFileKind? { DataFileHeader.kind(ofBeginning: bytes) }
        let header = Array(SampleModel.bytes.prefix(DataFileHeader.byteCount))
        #expect(kind(header) == .rules && kind(SampleModel.bytes) == .rules)
        #expect(kind(FactsSample.bytes) == .facts)
        #expect(kind(Array(header.dropLast())) == nil && kind([]) == nil)
        #expect(kind([0x7B] + header.dropFirst()) == nil)
        // The kind is a number of two bytes, and both count.
        for number in [0, 3, 0x0102] as [UInt16] {
            var other = header
            other.replaceSubrange(24..<26, with: Damage.Value.u16(number).bytes)
            #expect(kind(other) == nil, "\(number)")
        }
    }

    @Test("of an older minor version is refused", arguments: [0, 1] as [UInt16])
    func olderVersion(minor: UInt16) {
        var bytes = SampleModel.bytes
        bytes.replaceSubrange(10..<12, with: Damage.Value.u16(minor).bytes)
        #expect(SampleModel.refusal(DataFileHeader.resealed(bytes)) == "data-file.unsupported-version")
    }

    @Test("of version 1.2 still opens and has the same rules")
    func sample() throws {
        let file = try RulesFile(bytes: SampleModel.kept(as: "1.2.rules"), check: .full)
        #expect(RulesModel(reading: file).rules == SampleModel.model.rules.map(Self.normalized))
    }

    @Test("finds every string by its hash, and no other string")
    func strings() throws {
        let file = try RulesFile(bytes: SampleModel.bytes, check: .full)
        let strings = file.tables.strings
        #expect(strings.count > 20)
        for number in 0..<strings.count {
            let reference = EntryReference(UInt32(number))
            let text = try #require(file.withBytes { strings.string(reference, in: $0) })
            for other in [text, text + "x", String(text.dropLast()), "x" + text] {
                let bytes = Array(other.utf8)
                let found = file.withBytes { strings.find(bytes.span, in: $0) }
                #expect((found == reference) == (other == text), "\(other)")
            }
        }
    }

    @Test("opens from a mapped file, with all checks and with those of the structure")
    func mapping() throws {
        for check in [DataFileCheck.full, .structure] {
            let bytes = SampleModel.bytes
            let memory = try OpenFile.inMemory()
            try memory.descriptor.write(bytes.span)
            let file = try RulesFile(mapping: MappedMemory(of: memory.descriptor), check: check)
            #expect(file.ruleID(at: 1) == "never")
        }
    }

    @Test("is read without sections that a later version added, and with a greater minor version")
    func additions() throws {
        var bytes = SampleModel.bytes
        let header = try RulesFile(bytes: bytes, check: .full).header
        // One more entry in the table moves every section by its 32 bytes.
        for index in header.sections.indices {
            let entry = 128 + index * 32 + 8
            let offset = UInt64(header.sections[index].offset + 32)
            bytes.replaceSubrange(entry..<entry + 8, with: Damage.Value.u64(offset).bytes)
        }
        let end = UInt64(bytes.count + 32)
        var added: [UInt8] = []
        for value in [Damage.Value.u32(77), .u32(0), .u64(end), .u64(8), .u32(0), .u32(0)] {
            added += value.bytes
        }
        bytes.insert(contentsOf: added, at: 128 + header.sections.count * 32)
        bytes += [1, 2, 3, 4, 5, 6, 7, 8]
        bytes.replaceSubrange(10..<12, with: Damage.Value.u16(7).bytes)
        bytes.replaceSubrange(16..<24, with: Damage.Value.u64(end + 8).bytes)
        bytes.replaceSubrange(28..<32, with: Damage.Value.u32(UInt32(header.sections.count + 1)).bytes)
        let file = try RulesFile(bytes: DataFileHeader.resealed(bytes), check: .full)
        #expect(file.header.formatMinor == 7)
        #expect(file.header.sections.count == header.sections.count + 1)
        #expect(
            RulesModel(reading: file)
                == RulesModel(reading: try RulesFile(bytes: SampleModel.bytes, check: .full))
        )
    }

    @Test("nests conditions to depth 8, and no deeper")
    func depth() throws {
        var model = SampleModel.model
        var condition = Condition.equal(.productId, .string("a"))
        for depth in 1...9 {
            condition = depth % 2 == 0 ? .not(condition) : .all([condition])
            model.rules[0].condition = condition
            model.segments[0].condition = condition
            let bytes = RulesFileWriter.write(model, stamp: SampleModel.stamp)
            #expect(SampleModel.refusal(bytes) == (depth <= 8 ? "opened" : "data-file.bad-condition"))
        }
    }

    @Test("must have a rule or a default")
    func empty() throws {
        var model = SampleModel.model
        model.rules = []
        model.tests = []
        #expect(SampleModel.refusal(RulesFileWriter.write(model, stamp: SampleModel.stamp)) == "opened")
        model.defaultOutcome = nil
        let bytes = RulesFileWriter.write(model, stamp: SampleModel.stamp)
        #expect(SampleModel.refusal(bytes) == "data-file.no-rules")
    }

    /// Returns the rule with sorted lists, because the file stores lists in order.
    private static func normalized(_ rule: RulesModel.Rule) -> RulesModel.Rule {
        var rule = rule
        rule.condition = rule.condition.map(normalized)
        return rule
    }

    private static func text(_ value: FactValue) -> String {
        if case .string(let text) = value { text } else { String(value.number + 1 << 40) }
    }

    private static func normalized(_ condition: Condition) -> Condition {
        switch condition {
        case .all(let children): .all(children.map(normalized))
        case .any(let children): .any(children.map(normalized))
        case .not(let child): .not(normalized(child))
        case .predicate(let predicate) where predicate.operation.operand == .list:
            .predicate(
                Predicate(
                    predicate.fact,
                    predicate.operation,
                    predicate.operands.sorted { text($0) < text($1) }
                )
            )
        case .segment, .predicate: condition
        }
    }
}
