/// A part of what a signature covers that can differ by itself.
enum LinePart: Hashable {
  /// The name of the scheme: the first line of V4 and COS.
  case algorithm
  case method
  /// The path; in OSS with the bucket, where it is not in the path itself.
  case path
  /// A query parameter.
  case parameter(String)
  /// A header; its name is in lower case.
  case header(String)
  /// The fourth line of OSS V1: the date of a request, the end of a URL.
  case date
  /// The time of signing in the string to sign of V4.
  case signingTime
  case scopeDay
  case scopeRegion
  case scopeProduct
  /// The list of additional headers of V4.
  case additionalHeaders
  case payloadHash
  /// The stretch of time of COS.
  case window
  /// The hash of the canonical request; it differs whenever that does.
  case requestHash

  /// The name that people know the line by.
  var name: String {
    switch self {
    case .algorithm: "algorithm"
    case .method: "method"
    case .path: "path"
    case .parameter(let name): "query parameter \(name)"
    case .header("content-type"): "Content-Type"
    case .header("content-md5"): "Content-MD5"
    case .header("host"): "Host"
    case .header(let name): "header \(name)"
    case .date: "Date"
    case .signingTime: "time of signing"
    case .scopeDay: "day of the scope"
    case .scopeRegion: "region of the scope"
    case .scopeProduct: "product of the scope"
    case .additionalHeaders: "additional headers"
    case .payloadHash: "payload hash"
    case .window: "sign time"
    case .requestHash: "hash of the canonical request"
    }
  }

  /// Which of several lines that differ is told first: what else differs is often its consequence.
  var rank: Int {
    switch self {
    case .algorithm: 0
    case .method: 1
    case .path: 2
    case .header("host"): 3
    case .scopeRegion, .scopeProduct: 4
    case .scopeDay, .window: 5
    case .header("x-oss-date"), .date: 6
    case .signingTime: 7
    case .parameter: 8
    case .header("content-type"): 9
    case .header("content-md5"): 10
    case .header: 11
    case .additionalHeaders: 12
    case .payloadHash: 13
    case .requestHash: 14
    }
  }
}
