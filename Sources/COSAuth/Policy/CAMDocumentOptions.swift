/// What a document of Tencent Cloud CAM may hold beyond what COS itself documents.
public struct CAMDocumentOptions: OptionSet, Sendable, Hashable {
  /// The options as bits.
  public let rawValue: Int

  /// Makes options of their bits.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Data processing (CI) is allowed wherever a rule allows to read and to write.
  ///
  /// The one action of it, `name/ci:*`, does both, and knows no limit of sizes and media types.
  public static let dataProcessing = CAMDocumentOptions(rawValue: 1)

  /// The end of a rule is written as a condition for `qcs:current_time`.
  ///
  /// CAM has that condition for all services; the list of conditions that COS has does not name it. Without the option
  /// a rule that ends is an error.
  public static let dates = CAMDocumentOptions(rawValue: 2)
}
