internal import AppStoreServerAPI
internal import Cryptography
internal import JSON
internal import System

extension EnvironmentState {
    /// Upload Image. Source: Apple, Upload Image: a PNG without transparency, 3840 x 160 to 2160 or 1024 x 1024 pixels.
    mutating func uploadImage(_ text: String, _ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        let identifier = try Self.identifier(text)
        let sizes = call.target.values(of: "imageSize")
        guard sizes.count <= 1, let size = ImageSize(rawValue: sizes.first ?? ImageSize.fullSize.rawValue),
            call.request.hasMediaType("image/png"), let body = call.request.body,
            body.count <= SimulatorLimits.imageByteCount, let header = PNGHeader(body.span),
            !header.hasTransparency, Self.fits(header, size)
        else { throw .apple(.invalidImage) }
        guard images[identifier] == nil, !deletedImages.contains(identifier) else {
            throw .apple(.imageAlreadyExists)
        }
        guard images.count < RetentionMessagingLimits.imageCount else { throw .apple(.tooManyImages) }
        uploadCount += 1
        images[identifier] = StoredImage(
            state: firstState, size: size, width: Int64(header.width), height: Int64(header.height),
            byteCount: Int64(body.count), digest: SHA256.hash(body.span).hexadecimal, sequence: uploadCount)
        return SimulatorAnswer()
    }

    /// Delete Image. The messages that name the image must be deleted first.
    mutating func deleteImage(_ text: String) throws(SimulatorProblem) -> SimulatorAnswer {
        let identifier = try Self.identifier(text)
        guard images[identifier] != nil else { throw .apple(.imageNotFound) }
        guard !messages.values.contains(where: { $0.images.contains(identifier) }) else {
            throw .apple(.imageInUse)
        }
        images[identifier] = nil
        deletedImages.insert(identifier)
        return SimulatorAnswer()
    }

    /// The answer of Get Image List.
    var imageList: SimulatorAnswer {
        let list = listedImages.map { identifier, image in
            JSONNode.object([
                ("imageIdentifier", .string(identifier.description)),
                ("imageState", .string(image.state.rawValue)), ("imageSize", .string(image.size.rawValue)),
            ])
        }
        return SimulatorAnswer(.object([("imageIdentifiers", .array(list))]))
    }

    private static func fits(_ header: PNGHeader, _ size: ImageSize) -> Bool {
        switch size {
        case .fullSize: header.width == 3840 && (160...2160).contains(header.height)
        case .bulletPoint: header.width == 1024 && header.height == 1024
        }
    }
}
