public import HTTPTypes
internal import StorageAuth

/// What an app server is asked, made anew for each credential, so that an app's own login travels along.
///
/// The headers and the body may hold a login: they are not shown by `print`, `dump` or `Mirror`.
///
/// ```swift
/// AppServerRequest("https://app.example.com/sts", headers: [.authorization: "Bearer \(session.token)"])
/// ```
public struct AppServerRequest: Sendable {
  /// The address; `https`, or `http` on this machine.
  public var url: String

  /// The method.
  public var method: HTTPRequest.Method

  /// The headers; the length of the body is added.
  public var headers: HTTPFields

  /// The body.
  public var body: [UInt8]

  /// Puts a request together.
  ///
  /// - Parameters:
  ///   - url: The address; `https`, or `http` on this machine.
  ///   - method: The method.
  ///   - headers: The headers, with the app's login.
  ///   - body: The body.
  public init(_ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: [UInt8] = []) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }
}

extension AppServerRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the address without its query.
  public var description: String {
    "AppServerRequest(\(method) \(ServiceURL(url)?.visible ?? Secret.mask))"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror without the headers' values and the body.
  public var customMirror: Mirror { Mirror(self, children: ["method": method.rawValue]) }
}
