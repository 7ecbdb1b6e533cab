internal import AppStoreServerAPI
internal import JSON
internal import PNG
internal import Vocabulary

/// Checks the file of one image against what Apple takes: PNG, the right dimensions, no transparency.
///
/// Apple's documentation states the dimensions and "no transparency". It does not say whether it means the pixels or the
/// alpha channel, and says nothing about depth, palette, interlacing, animation and the length of the file. An image that the
/// documentation neither allows nor forbids gets a warning.
struct ImageCheck {
    let image: Catalogue.Image
    let findings: Findings

    private var path: JSONPath { [.member("images"), .member(image.name), .member("file")] }

    private func report(_ reason: CatalogueReason, _ message: String, hint: String? = nil) {
        findings.add(reason: reason, "\(image.file): \(message)", at: path, hint: hint)
    }

    /// Reports why a file cannot be used.
    func report(_ problem: ImageFiles.Problem) {
        switch problem {
        case .missing: report(.imageMissing, "no such file")
        case .tooLarge:
            report(.imageTooLarge, "longer than \(CatalogueLimits.imageByteCount >> 20) MiB")
        case .notRegular: report(.imageUnreadable, "not a regular file")
        case .unreadable(let words): report(.imageUnreadable, words)
        }
    }

    /// Reports what is wrong with a file that was read.
    func check(_ file: ImageFile) {
        if file.byteCount > CatalogueLimits.imageWarningByteCount {
            let hint = "Apple states no limit; a public client refuses more than 20 MiB"
            report(.imageHeavy, "\(file.byteCount) bytes", hint: hint)
        }
        switch file.facts {
        case .success(let facts): check(facts, file)
        case .failure(.notPNG): report(.notPNG, "not a PNG")
        case .failure(let error): report(.damagedPNG, "\(error)")
        }
    }

    private func check(_ facts: PNGFacts, _ file: ImageFile) {
        let dimensions = "\(facts.width) x \(facts.height) pixels"
        switch image.size {
        case .fullSize where facts.width != 3840 || !(160...2160).contains(facts.height):
            report(.imageDimensions, dimensions, hint: "FULL_SIZE is 3840 wide and 160 to 2160 high")
        case .bulletPoint where facts.width != 1024 || facts.height != 1024:
            report(.imageDimensions, dimensions, hint: "BULLET_POINT is 1024 x 1024")
        case .fullSize, .bulletPoint: break
        }
        checkTransparency(facts, file)
        let unknown = "Apple does not say whether it takes this"
        if facts.isAnimated { report(.imageAnimated, "an animation", hint: unknown) }
        if facts.bitDepth == 16 { report(.imageDepth, "16 bits for each number of a pixel", hint: unknown) }
        if facts.isInterlaced { report(.imageInterlaced, "interlaced", hint: unknown) }
        if facts.colorType == .palette { report(.imagePalette, "a palette", hint: unknown) }
        if facts.trailingByteCount > 0 {
            report(
                .imageTrailingBytes,
                "\(CountText.of(facts.trailingByteCount, "byte")) behind the end of the image", hint: unknown)
        }
    }

    private func checkTransparency(_ facts: PNGFacts, _ file: ImageFile) {
        let form = facts.hasAlphaChannel ? "an alpha channel" : "a tRNS chunk"
        switch file.transparency {
        case .failure(let error): report(.damagedPNG, "\(error)")
        case .success(let found):
            if let first = found.first {
                let place = "the first at column \(first.x), row \(first.y)"
                let count = "pixels that are not opaque: \(found.pixelCount), \(place)"
                report(
                    .imageTransparent, count, hint: "Apple takes no transparency; put a background behind it")
            } else if facts.mayBeTransparent {
                let hint = "Apple does not say whether it takes this; save it without"
                report(.imageAlpha, "\(form), and every pixel is opaque", hint: hint)
            }
        // Too large to decode; its dimensions are reported.
        case nil: break
        }
    }
}
