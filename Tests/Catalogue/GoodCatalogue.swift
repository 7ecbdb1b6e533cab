import Catalogue
import Support
import System
import Testing

/// A catalogue without an error, to be spoilt.
enum GoodCatalogue {
    static let text = """
        {
          "format": 1,
          "app": { "appAppleId": 7, "bundleId": "com.example.app" },
          "namespace": "5d1f6a0e-8c1b-4f0a-9a52-3f6d0b7c2e41",
          "locales": ["en-US", "de-DE"],
          "products": { "monthly": { "group": "pro" }, "annual": {} },
          "images": {
            "hero": { "file": "images/hero.png", "size": "FULL_SIZE" },
            "tick": { "file": "images/tick.png", "size": "BULLET_POINT" }
          },
          "messages": {
            "reminder": {
              "kind": "text", "headerPosition": "ABOVE_IMAGE", "image": "hero",
              "en-US": {
                "header": "H1", "body": "B1", "imageAltText": "A1",
                "bulletPoints": [{ "text": "T1", "image": "tick", "altText": "A2" }]
              },
              "de-DE": { "header": "H2", "body": "B2", "imageAltText": "A3" }
            },
            "offer": {
              "kind": "offer",
              "en-US": { "header": "H3", "body": "B3" },
              "de-DE": { "header": "H4", "body": "B4" }
            }
          },
          "defaults": { "*": "reminder", "annual": { "message": "reminder", "locales": { "de-DE": "reminder" } } },
          "realtimeURL": { "Production": "https://example.com/a", "Sandbox": "https://example.com/b" }
        }
        """

    /// The smallest PNG of a message: 3840 x 160 pixels of one bit.
    static let hero: TestPNG = {
        var image = TestPNG(3840, 160)
        image.colorType = 0
        image.bitDepth = 1
        return image
    }()

    /// A PNG of a bullet point.
    static let tick: TestPNG = {
        var image = TestPNG(1024, 1024)
        image.colorType = 0
        image.bitDepth = 1
        return image
    }()

    private static let heroBytes = hero.bytes()
    private static let tickBytes = tick.bytes()

    /// Makes a folder with both images.
    static func folder(hero: [UInt8]? = nil) throws -> TemporaryDirectory {
        let folder = try TemporaryDirectory()
        try folder.makeDirectory("images")
        try folder.write(hero ?? heroBytes, to: "images/hero.png")
        try folder.write(tickBytes, to: "images/tick.png")
        return folder
    }

    /// Checks a text with images in a folder; those of ``folder(hero:)`` when there is none.
    static func check(_ text: String, in folder: TemporaryDirectory, decodesAll: Bool = false)
        -> CheckedCatalogue
    {
        CheckedCatalogue(Array(text.utf8), images: ImageFiles(folder: folder.path, decodesAll: decodesAll))
    }
}
