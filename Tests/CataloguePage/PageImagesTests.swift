import AppStoreServerAPI
@testable import Catalogue
import Cryptography
import PNG
import Support
import System
import Testing

@Suite("The images of a page")
struct PageImagesTests {
    private static func sample(_ bytes: [UInt8], _ size: ImageSize = .fullSize) -> PageSample {
        var sample = PageSample()
        sample.catalogue.images = [PageSample.image("one", size), PageSample.image("two", size)]
        sample.files = ["images/one.png": bytes, "images/two.png": bytes]
        return sample
    }

    private static func images(_ sample: PageSample) throws -> PageImages {
        try PageImages(sample.resolved) { sample.files[$0] ?? [] }
    }

    private static func shown(_ images: PageImages, _ digest: SHA256Digest) throws -> [UInt8] {
        let base64 = try #require(images[digest]).base64
        let bytes = Base64.decode(base64.span)
        return try #require(bytes)
    }

    @Test("are the files as they are while they are short, each file once")
    func short() throws {
        let bytes = PageSample.png(60, 20, grey: 7)
        let images = try Self.images(Self.sample(bytes))
        let digest = SHA256.hash(bytes.span)
        #expect(images.digests == [digest])
        #expect(try Self.shown(images, digest) == bytes)
        #expect(images[digest]?.width == 60 && images[digest]?.height == 20)
    }

    @Test(
        "are smaller copies of longer files, about two pixels for each point of a phone",
        arguments: [(ImageSize.fullSize, 3840, 161, 768, 33), (.bulletPoint, 1024, 1024, 256, 256)]
    )
    func long(size: ImageSize, width: Int, height: Int, shownWidth: Int, shownHeight: Int) throws {
        let bytes = PageSample.png(UInt32(width), UInt32(height), grey: 200)
        let images = try Self.images(Self.sample(bytes, size))
        let digest = SHA256.hash(bytes.span)
        let copy = try Self.shown(images, digest)
        let facts = try PNGFacts(reading: copy.span)
        #expect(facts.width == shownWidth && facts.height == shownHeight && copy.count < 16 << 10)
        // The page says the dimensions of the file.
        #expect(images[digest]?.width == width && images[digest]?.height == height)
    }

    @Test("are the files as they are when a copy would not be smaller")
    func narrow() throws {
        // 1,500 pixels are less than twice the width of a copy.
        let bytes = PageSample.png(1500, 60, grey: 200)
        let images = try Self.images(Self.sample(bytes))
        #expect(bytes.count > 64 << 10)
        #expect(try Self.shown(images, SHA256.hash(bytes.span)) == bytes)
    }

    @Test("must be what they were when the catalogue was read")
    func changed() throws {
        let sample = Self.sample(PageSample.png(2, 2, grey: 0))
        let error = #expect(throws: ToolError.self) { try PageImages(sample.resolved) { _ in [1] } }
        #expect(error?.description == "images/one.png has changed since the catalogue was read")
    }

    @Test("must have pixels that can be decoded, when they are decoded")
    func damaged() throws {
        var image = TestPNG(3840, 160)
        image.colorType = 0
        let header = TestPNG.signature + TestPNG.chunk("IHDR", image.header)
        let bytes =
            header + TestPNG.chunk("IDAT", TestPNG.stored([UInt8](repeating: 9, count: 100_000)))
            + TestPNG.chunk("IEND", [])
        let error = #expect(throws: ToolError.self) { try Self.images(Self.sample(bytes)) }
        #expect(error?.code == "catalogue.image-file")
    }
}
