/// The names that a service's requests may carry without becoming another operation than the one that a policy allows.
///
/// A signer of strings supplies it with what it reads (``SigningIntent/vocabulary``), so that the check of a policy knows
/// no service.
public struct RequestVocabulary: Sendable {
  /// The prefix of the service's own headers, in lower case: `x-oss-`.
  public var headerPrefix: String

  /// The headers behind the prefix that change neither who may do what nor what is done; metadata (`meta-`) always are.
  public var harmlessHeaders: Set<String>

  /// The headers without a prefix of their own that make another operation of a request, in lower case.
  public var refusedHeaders: Set<String>

  /// Whether the service signs the names of parameters in lower case, so that their case is not signed.
  public var ignoresParameterCase: Bool

  /// Whether a POST to a bucket without parameters is an upload by form whose fields are not signed.
  public var uploadsUnsignedForms: Bool

  /// Whether the date of a request is the beginning of a window, which may lie long ago.
  public var datesWindows: Bool

  /// Whether the names of buckets may have dots.
  public var hasDottedBuckets: Bool

  /// Creates a vocabulary.
  ///
  /// - Parameters:
  ///   - headerPrefix: The prefix of the service's own headers, in lower case.
  ///   - harmlessHeaders: The headers behind the prefix that change neither who may do what nor what is done.
  ///   - refusedHeaders: The headers without a prefix that make another operation of a request.
  ///   - ignoresParameterCase: Whether the service signs the names of parameters in lower case.
  ///   - uploadsUnsignedForms: Whether a POST to a bucket without parameters is an upload by form.
  ///   - datesWindows: Whether the date of a request is the beginning of a window.
  ///   - hasDottedBuckets: Whether the names of buckets may have dots.
  public init(
    headerPrefix: String, harmlessHeaders: Set<String>, refusedHeaders: Set<String> = [],
    ignoresParameterCase: Bool = false, uploadsUnsignedForms: Bool = false, datesWindows: Bool = false,
    hasDottedBuckets: Bool = false
  ) {
    self.headerPrefix = headerPrefix
    self.harmlessHeaders = harmlessHeaders
    self.refusedHeaders = refusedHeaders
    self.ignoresParameterCase = ignoresParameterCase
    self.uploadsUnsignedForms = uploadsUnsignedForms
    self.datesWindows = datesWindows
    self.hasDottedBuckets = hasDottedBuckets
  }

  /// Whether a text can be the name of a bucket of the service.
  func isBucketName(_ name: String) -> Bool {
    hasDottedBuckets ? isBucketNameWithOrWithoutDots(name) : StorageAuth.isBucketName(name)
  }
}
