/// The two sizes of images. The size decides where a message may use the image.
///
/// Source: Apple, imageSize.
public enum ImageSize: String, Sendable, Hashable, CaseIterable {
    /// An image of a message: a PNG without transparency, 3840 pixels wide and 160 to 2160 pixels high.
    case fullSize = "FULL_SIZE"
    /// An image of a bullet point: a PNG without transparency, 1024 by 1024 pixels.
    case bulletPoint = "BULLET_POINT"
}
