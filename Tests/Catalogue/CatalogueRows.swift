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

    /// An image with these dimensions in its header, and one byte of pixels.
    private static func headed(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        TestPNG.signature + TestPNG.chunk("IHDR", TestPNG(width, height).header) + TestPNG.chunk("IDAT", [0])
            + end
    }

    /// Files that are no PNG, or a damaged one.
    private static let files: [CatalogueRow] = [
        image { [] },
        image { Array("GIF89a".utf8) },
        image { [0xFF, 0xD8, 0xFF, 0xE0] + Array("JFIF".utf8) },
        image { Array(good.prefix(8)) },
        image { Array(good.prefix(33)) },
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
        // A chunk of 4 GiB, and one of 2 GiB.
        image {
            Array(good.prefix(33)) + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + end
        },
        image {
            Array(good.prefix(33)) + [0x7F, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + end
        },
        // An image of 65,535 x 65,535 pixels: 4 GiB of one byte each.
        image {
            var image = TestPNG(65_535, 65_535)
            image.colorType = 0
            return TestPNG.signature + TestPNG.chunk("IHDR", image.header) + TestPNG.chunk("IDAT", [0]) + end
        },
        // The greatest dimensions that PNG allows, 2^31 - 1, and greater ones.
        image { headed(0x7FFF_FFFF, 0x7FFF_FFFF) },
        image { headed(0x7FFF_FFFF, 160) },
        image { headed(0x8000_0000, 160) },
        image { headed(3840, 0xFFFF_FFFF) },
        image { headed(0, 160) },
        image { headed(3840, 0) },
        // A header that is too short or too long, and one that stands twice.
        image {
            TestPNG.signature + TestPNG.chunk("IHDR", Array(GoodCatalogue.hero.header.dropLast()))
                + good.dropFirst(33)
        },
        image {
            TestPNG.signature + TestPNG.chunk("IHDR", GoodCatalogue.hero.header + [0]) + good.dropFirst(33)
        },
        image { Array(good.prefix(33)) + good.dropFirst(8) },
        // Whole chunks with the right checksums, and pixels that are no deflate.
        image { Array(good.prefix(33)) + TestPNG.chunk("IDAT", [1, 2, 3]) + end },
        image { Array(good.prefix(33)) + end },
        image { good + Array("more".utf8) },
        image { good + [UInt8](repeating: 0, count: 20 << 20) },
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
        changed { $0.isInterlaced = true },
        changed { $0.bitDepth = 16 },
        changed { $0.asPalette([]) },
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
        changed { $0.chunks = [("acTL", [0, 0, 0, 1, 0, 0, 0, 0])] },
    ]
}

extension TestPNG {
    /// Makes an image of the second of two colours.
    fileprivate mutating func asPalette(_ opacities: [UInt8]) {
        colorType = 3
        chunks = [("PLTE", [1, 2, 3, 4, 5, 6])] + (opacities.isEmpty ? [] : [("tRNS", opacities)])
    }
}
