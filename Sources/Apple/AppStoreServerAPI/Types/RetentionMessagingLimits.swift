/// The limits that Apple sets for messages, images and the real-time URL.
///
/// Apple does not say in which unit it counts the length of a text: its Swift library counts graphemes, its Java
/// library UTF-16 units, its Python library code points.
public enum RetentionMessagingLimits {
    /// The length limit of a message's header. Source: Apple, UploadMessageRequestBody `header`.
    public static let headerLength = 66
    /// The length limit of a message's body. Source: Apple, UploadMessageRequestBody `body`.
    public static let bodyLength = 144
    /// The length limit of an image's alternative text. Source: Apple, UploadMessageImage `altText`.
    public static let altTextLength = 150
    /// The length limit of a bullet point's text. Source: Apple, BulletPoint `text`.
    public static let bulletPointTextLength = 66
    /// The greatest number of bullet points in a message. Source: a constant in Apple's four server libraries.
    public static let bulletPointCount = 5
    /// The greatest number of messages of an app. Source: Apple, MaximumNumberOfMessagesReachedError.
    public static let messageCount = 2000
    /// The greatest number of images of an app. Source: Apple, MaximumNumberOfImagesReachedError.
    public static let imageCount = 2000
    /// The greatest length of the real-time URL, in characters. Source: Apple, realtimeURL.
    public static let realtimeURLLength = 256
}
