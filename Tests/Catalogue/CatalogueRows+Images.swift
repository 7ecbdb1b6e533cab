import Support

extension CatalogueRows {
    /// The members of images, and their files.
    static let images: [CatalogueRow] = members + files + forms

    private static let members: [CatalogueRow] = [
        CatalogueRow("\"FULL_SIZE\"", "¦\"FULLSIZE\"", "unknown-value"),
        CatalogueRow(", \"size\": \"FULL_SIZE\"", "", "missing-key").marking("\"hero\": ¦{"),
        CatalogueRow("\"file\": \"images/hero.png\", ", "", "missing-key").marking("\"hero\": ¦{"),
        CatalogueRow("\"FULL_SIZE\"", "\"FULL_SIZE\", ¦\"alt\": \"x\"", "unknown-key"),
        CatalogueRow("\"images/hero.png\"", "¦\"../hero.png\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"/etc/passwd\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"images//hero.png\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"images/../../x\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"images/../images/hero.png\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"images/..\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"..\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\".\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"./images/hero.png\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"images/hero.png/\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"\\u002e./hero.png\"", "bad-path"),
        CatalogueRow("\"images/hero.png\"", "¦\"%2e%2e/hero.png\"", "image-missing"),
        CatalogueRow("\"images/hero.png\"", "¦\"images\\\\..\\\\hero.png\"", "image-missing"),
        CatalogueRow("\"images/hero.png\"", "¦\"~/hero.png\"", "image-missing"),
        CatalogueRow("\"images/hero.png\"", "¦\"\"", "bad-length"),
        CatalogueRow("\"images/hero.png\"", "¦\"images/\\n.png\"", "bad-name"),
        CatalogueRow("\"images/hero.png\"", "¦\"images/none.png\"", "image-missing"),
        CatalogueRow("\"images/hero.png\"", "¦\"images/hero.png/x\"", "image-missing"),
        CatalogueRow("\"images/hero.png\"", "¦\"images\"", "image-unreadable"),
        CatalogueRow(
            "\"hero\": {",
            "¦\"spare\": { \"file\": \"images/hero.png\", \"size\": \"FULL_SIZE\" }, \"hero\": {",
            "unused-image"),
    ]

    private static let good = GoodCatalogue.hero.bytes()
    private static let end = TestPNG.chunk("IEND", [])

    /// An image with these dimensions in its header, and one byte of pixels.
    private static func headed(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        TestPNG.signature + TestPNG.chunk("IHDR", TestPNG(width, height).header) + TestPNG.chunk("IDAT", [0])
            + end
    }

    /// Files that are no PNG, or a damaged one.
    private static let files: [CatalogueRow] = [
        .image("not-png") { [] },
        .image("not-png") { Array("GIF89a".utf8) },
        .image("not-png") { [0xFF, 0xD8, 0xFF, 0xE0] + Array("JFIF".utf8) },
        .image("damaged-png") { Array(good.prefix(8)) },
        .image("damaged-png") { Array(good.prefix(33)) },
        .image("damaged-png") { good.dropLast(12) },
        .image("damaged-png") { good.dropLast() },
        .image("damaged-png") {
            var bytes = good
            bytes[29] ^= 1
            return bytes
        },
        .image("damaged-png") {
            var bytes = good
            bytes[1000] ^= 1
            return bytes
        },
        // A chunk of 4 GiB, and one of 2 GiB.
        .image("damaged-png") {
            Array(good.prefix(33)) + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + end
        },
        .image("damaged-png") {
            Array(good.prefix(33)) + [0x7F, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + end
        },
        // An image of 65,535 x 65,535 pixels: 4 GiB of one byte each.
        .image("image-dimensions") {
            var image = TestPNG(65_535, 65_535)
            image.colorType = 0
            return TestPNG.signature + TestPNG.chunk("IHDR", image.header) + TestPNG.chunk("IDAT", [0]) + end
        },
        // The greatest dimensions that PNG allows, 2^31 - 1, and greater ones.
        .image("image-dimensions") { headed(0x7FFF_FFFF, 0x7FFF_FFFF) },
        .image("image-dimensions") { headed(0x7FFF_FFFF, 160) },
        .image("damaged-png") { headed(0x8000_0000, 160) },
        .image("damaged-png") { headed(3840, 0xFFFF_FFFF) },
        .image("damaged-png") { headed(0, 160) },
        .image("damaged-png") { headed(3840, 0) },
        // A header that is too short or too long, and one that stands twice.
        .image("damaged-png") {
            TestPNG.signature + TestPNG.chunk("IHDR", Array(GoodCatalogue.hero.header.dropLast()))
                + good.dropFirst(33)
        },
        .image("damaged-png") {
            TestPNG.signature + TestPNG.chunk("IHDR", GoodCatalogue.hero.header + [0]) + good.dropFirst(33)
        },
        .image("damaged-png") { Array(good.prefix(33)) + good.dropFirst(8) },
        // Whole chunks with the right checksums, and pixels that are no deflate.
        .image("damaged-png") { Array(good.prefix(33)) + TestPNG.chunk("IDAT", [1, 2, 3]) + end },
        .image("damaged-png") { Array(good.prefix(33)) + end },
        .image("image-trailing-bytes") { good + Array("more".utf8) },
        .image("image-heavy", "image-trailing-bytes") { good + [UInt8](repeating: 0, count: 20 << 20) },
        .image("image-too-large") { [UInt8](repeating: 0, count: 64 << 20 + 1) },
    ]

    /// Images whose form is not what Apple takes, or not what it says that it takes.
    private static let forms: [CatalogueRow] = [
        .image("image-dimensions", change: { $0.width = 3839 }),
        .image("image-dimensions", change: { $0.width = 3841 }),
        .image("image-dimensions", change: { $0.height = 159 }),
        .image("image-dimensions", change: { $0.height = 2161 }),
        .image(
            "image-dimensions",
            change: {
                $0.width = 1024; $0.height = 1024
            }
        ),
        .image("image-interlaced", change: { $0.isInterlaced = true }),
        .image("image-depth", change: { $0.bitDepth = 16 }),
        .image("image-palette", change: { $0.asPalette([]) }),
        .image("image-alpha", "image-palette", change: { $0.asPalette([255, 255]) }),
        .image("image-transparent", "image-palette", change: { $0.asPalette([255, 254]) }),
        .image("image-alpha", change: { $0.chunks = [("tRNS", [0, 0])] }),
        .image("image-transparent", change: { $0.chunks = [("tRNS", [0, 1])] }),
        .image(
            "image-alpha",
            change: {
                $0.colorType = 4; $0.bitDepth = 8
            }
        ),
        .image(
            "image-transparent",
            change: {
                $0.colorType = 4; $0.bitDepth = 8; $0.patches = [(9, 1, 0)]
            }
        ),
        .image("image-animated", change: { $0.chunks = [("acTL", [0, 0, 0, 1, 0, 0, 0, 0])] }),
    ]
}

extension TestPNG {
    /// Makes an image of the second of two colours.
    fileprivate mutating func asPalette(_ opacities: [UInt8]) {
        colorType = 3
        chunks = [("PLTE", [1, 2, 3, 4, 5, 6])] + (opacities.isEmpty ? [] : [("tRNS", opacities)])
    }
}
