import DataFiles
import JSON
@testable import RulesCompiler
import Support
import Testing
import Vocabulary

@Suite("The rules compiler")
struct RulesCompilerTests {
    static let stamp = RulesFileStamp(
        generation: 1_795_226_400_000,
        builtAtMilliseconds: 1_795_226_399_000,
        writerVersion: "test"
    )

    static func compile(_ source: String) throws -> RulesFile {
        let bytes = try RulesCompiler.compile(Array(source.utf8), stamp: stamp)
        return try RulesFile(bytes: bytes, check: .full)
    }

    @Test("keeps everything that the source says")
    func contents() throws {
        let file = try Self.compile(GoodSource.text)
        let model = RulesModel(reading: file)
        #expect(model.appAppleId == 6_745_974_591)
        #expect(model.bundleId == "com.example.app")
        #expect(model.environment == .production)
        #expect(model.metadata.map(\.value) == ["2026-11-21.3", "Wachstüm"])
        #expect(!model.killSwitch)
        #expect(model.lastLocale == "en-US")
        #expect(model.messages.map(\.kind) == [.text, .switch])
        #expect(model.rules.map(\.id) == ["first", "second"])
        #expect(model.rules[0].windowTo == 1_798_675_200_000)
        #expect(model.rules[1].choice == .outcome(.nothing))
        #expect(model.rules[1].condition == .any([.prefix(.userLocale, "en")]))
        #expect(model.defaultOutcome == .message(0))
    }

    @Test("gives equal bytes for equal input and stamp, whatever the layout of the source")
    func determinism() throws {
        let first = try RulesCompiler.compile(Array(GoodSource.text.utf8), stamp: Self.stamp)
        let second = try RulesCompiler.compile(Array(GoodSource.text.utf8), stamp: Self.stamp)
        #expect(first == second)
        let narrow = GoodSource.text.split(separator: "\n").joined()
        #expect(try RulesCompiler.compile(Array(narrow.utf8), stamp: Self.stamp) == first)
        var other = Self.stamp
        other.generation += 1
        #expect(try RulesCompiler.compile(Array(GoodSource.text.utf8), stamp: other) != first)
    }

    /// Whatever is in the folder, so that a new example is tested, too.
    private static func shippedRules() throws -> [String] {
        let paths = try SourceFile.paths(below: "examples/rules").filter { $0.hasSuffix(".json") }
        #expect(paths.count >= 3)
        return paths
    }

    @Test("compiles every example, and each dump into the same file", arguments: try shippedRules())
    func examples(path: String) throws {
        let source = try SourceFile.read(SourceFile.root + "/" + path)
        let compiled = try RulesCompiler.compile(source, stamp: Self.stamp)
        let file = try RulesFile(bytes: compiled, check: .full)
        let dump = RulesModel(reading: file).source.serialized(pretty: true)
        #expect(try RulesCompiler.compile(dump, stamp: Self.stamp) == compiled)
        fuzzRulesSource(source.span)
    }

    @Test("dumps readable source")
    func dump() throws {
        let dump = RulesModel(reading: try Self.compile(GoodSource.text)).source.serialized(pretty: true)
        let text = String(decoding: dump, as: UTF8.self) + "\n"
        try GoldenFile.check(text, "Tests/RulesCompiler/Golden/dump.json")
    }

    @Test("never traps on a source with changed bytes")
    func mutations() {
        var random = SeededGenerator(for: "rules sources")
        let source = Array(GoodSource.text.utf8)
        let alphabet = Array("{}[]\",:0aA-_\\ \u{0}ü".utf8)
        for _ in 0..<2000 {
            var changed = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                let byte = alphabet.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<3, using: &random) {
                case 0: changed[place] = byte
                case 1: changed.insert(byte, at: place)
                default: changed.remove(at: place)
                }
            }
            fuzzRulesSource(changed.span)
        }
    }

    @Test("takes locales as devices write them, and says how another spelling was meant")
    func locales() {
        for good in ["en", "en-US", "es-419", "zh-Hans", "zh-Hant-HK", "ca", "fil-PH"] {
            #expect(LocaleSpelling.isCanonical(good), "\(good)")
        }
        let bad = [
            "en_US": "en-US", "EN-us": "en-US", "zh-hans-cn": "zh-Hans-CN", "pt_br": "pt-BR", "e": nil,
            "": nil,
            "en-": nil, "en-US-": nil, "english-US": nil, "en US": nil, "ёё": nil,
        ]
        for (text, meant) in bad {
            #expect(!LocaleSpelling.isCanonical(text), "\(text)")
            #expect(LocaleSpelling.canonical(text) == meant, "\(text)")
        }
    }
}
