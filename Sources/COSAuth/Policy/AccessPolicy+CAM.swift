public import StorageAuth
internal import StorageJSON

extension AccessPolicy {
  /// The policy as a document of Tencent Cloud CAM (version 2.0), for `Policy` of GetFederationToken and AssumeRole.
  ///
  /// - Parameters:
  ///   - region: The region of all buckets, such as `ap-guangzhou`.
  ///   - options: What the document may hold beyond what COS documents.
  /// - Throws: A ``PolicyError`` if CAM cannot express it; see ``camDocument(regions:options:)``.
  public func camDocument(region: String, options: CAMDocumentOptions = []) throws(PolicyError) -> String {
    try camDocument(
      regions: Dictionary(rules.map { ($0.bucket, region) }) { first, _ in first }, options: options)
  }

  /// The policy as a document of Tencent Cloud CAM, for buckets in more than one region.
  ///
  /// A list is `name/cos:GetBucket` on the prefix. A write with a size is a simple upload or a form: the size of parts
  /// cannot be limited, so that uploads in parts are not allowed then.
  ///
  /// - Parameters:
  ///   - regions: The region of each bucket, by its name with the number of the app.
  ///   - options: What the document may hold beyond what COS documents.
  /// - Returns: The document, as JSON without any encoding.
  /// - Throws: A ``PolicyError`` if CAM cannot express it: buckets without the number of the app or a region, an end
  ///   without ``CAMDocumentOptions/dates``, addresses of version 6, stars, question marks and `${` in keys.
  public func camDocument(
    regions: [String: String], options: CAMDocumentOptions = []
  ) throws(PolicyError) -> String {
    var statements: [DocumentStatement] = []
    for rule in try checkedRules() {
      for statement in try CAMRule(rule, regions, options).statements() { statements.add(statement) }
    }
    let document: JSONValue = ["version": "2.0", "statement": .array(statements.map { $0.json(.lowercase) })]
    return String(decoding: document.serialized, as: UTF8.self)
  }
}
