internal import StorageAuth

extension ServiceEndpoint {
  /// The public endpoint of a region of OSS.
  static func oss(region: String) throws(SigningError) -> ServiceEndpoint {
    try ServiceEndpoint("https://oss-\(region).aliyuncs.com")
  }

  /// The public endpoint of a region of COS.
  static func cos(region: String) throws(SigningError) -> ServiceEndpoint {
    try ServiceEndpoint("https://cos.\(region).myqcloud.com")
  }
}
