import Catalogue
import Support
import System
import Testing

/// One change to the good catalogue or to its image. `Golden/zoo.txt` has what is found.
struct CatalogueRow: Sendable {
    var change: TextChange?
    /// The bytes of `images/hero.png`; nil for the good ones.
    var hero: (@Sendable () -> [UInt8])?

    func source() throws -> String { try change?.applied(to: GoodCatalogue.text) ?? GoodCatalogue.text }

    func findings() throws -> [Finding] {
        let folder = try GoodCatalogue.folder(hero: hero?())
        return GoodCatalogue.check(try source(), in: folder, decodesAll: hero != nil).findings
    }
}

/// The zoo: wrong and odd catalogues.
enum CatalogueRows {
    static func all() throws -> [CatalogueRow] {
        try TextChange.read("Tests/Catalogue/mistakes.txt").map { CatalogueRow(change: $0) } + lengths + files
            + forms
    }

    /// Each text with Apple's limit: the limit is passed by one in graphemes, code points and UTF-16 units alike; in code
    /// points and UTF-16 units; in UTF-16 units alone.
    private static let lengths: [CatalogueRow] = limits.flatMap { old, limit in
        let plain = String(repeating: "a", count: limit)
        return [
            plain + "b", String(repeating: "e\u{301}", count: limit + 1), plain.dropLast() + "e\u{301}",
            String(repeating: "e\u{301}", count: limit), plain.dropLast() + "\u{1D49C}",
        ].map { CatalogueRow(change: TextChange(old: "\"\(old)\"", new: "\"\($0)\"")) }
    }

    /// The texts of the good catalogue that have a limit.
    static let limits = [("H1", 66), ("B1", 144), ("A1", 150), ("T1", 66), ("A2", 150)]

    private static func image(_ bytes: @escaping @Sendable () -> [UInt8]) -> CatalogueRow {
        CatalogueRow(hero: bytes)
    }

    private static func changed(_ change: @escaping @Sendable (inout TestPNG) -> Void) -> CatalogueRow {
        CatalogueRow {
            var image = GoodCatalogue.hero
            change(&image)
            return image.bytes()
        }
    }

    private static let good = GoodCatalogue.hero.bytes()
    private static let end = TestPNG.chunk("IEND", [])

    /// Files that are no PNG, or a damaged one.
    private static let files: [CatalogueRow] = [
        image { [] },
        image { Array("GIF89a".utf8) },
        image { good.dropLast(12) },
        image { good.dropLast() },
        image {
            var bytes = good
            bytes[29] ^= 1
            return bytes
        },
        image {
            var bytes = good
            bytes[1000] ^= 1
            return bytes
        },
        // Whole chunks with the right checksums, and pixels that are no deflate.
        image { Array(good.prefix(33)) + TestPNG.chunk("IDAT", [1, 2, 3]) + end },
        image { [UInt8](repeating: 0, count: 64 << 20 + 1) },
    ]

    /// Images whose form is not what Apple takes, or not what it says that it takes.
    private static let forms: [CatalogueRow] = [
        changed { $0.width = 3839 },
        changed { $0.width = 3841 },
        changed { $0.height = 159 },
        changed { $0.height = 2161 },
        changed {
            $0.width = 1024; $0.height = 1024
        },
        changed { $0.asPalette([255, 255]) },
        changed { $0.asPalette([255, 254]) },
        changed { $0.chunks = [("tRNS", [0, 0])] },
        changed { $0.chunks = [("tRNS", [0, 1])] },
        changed {
            $0.colorType = 4; $0.bitDepth = 8
        },
        changed {
            $0.colorType = 4; $0.bitDepth = 8; $0.patches = [(9, 1, 0)]
        },
    ]
}

extension TestPNG {
    /// Makes an image of the second of two colours.
    fileprivate mutating func asPalette(_ opacities: [UInt8]) {
        colorType = 3
        chunks = [("PLTE", [1, 2, 3, 4, 5, 6])] + (opacities.isEmpty ? [] : [("tRNS", opacities)])
    }
}
