// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, TypeNamesShouldBeCapitalized

// Declares what the libraries use of Foundation, with the types that Swift sees in Apple's headers; see Darwin.swift. The
// pointers of getBoundStreams are autoreleasing there, which needs Objective-C.

@_exported import Dispatch

public typealias TimeInterval = Double

open class NSObject: Equatable, Hashable {
  public init() {}
  open func copy() -> Any { self }
  public static func == (first: NSObject, second: NSObject) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) {}
}

public struct URL: Sendable {
  public enum DirectoryHint: Sendable {
    case isDirectory
    case inferFromPath
  }
  public var path: String { "" }
  public var scheme: String? { nil }
  public var isFileURL: Bool { false }
  public var absoluteString: String { "" }
  init() {}
  public init?(string: String) {}
  @available(macOS 13.0, iOS 16.0, *)
  public init(filePath path: String, directoryHint: DirectoryHint = .inferFromPath, relativeTo base: URL? = nil) {}
  @available(macOS 13.0, iOS 16.0, *)
  public func appending(path: some StringProtocol, directoryHint: DirectoryHint = .inferFromPath) -> URL { self }
  @available(macOS 13.0, iOS 16.0, *)
  public func host(percentEncoded: Bool = true) -> String? { nil }
  @available(macOS 13.0, iOS 16.0, *)
  public func path(percentEncoded: Bool = true) -> String { "" }
  @available(macOS 14.0, iOS 17.0, *)
  public init?(string: String, encodingInvalidCharacters: Bool) {}
}

public struct Data: Sendable, RandomAccessCollection {
  private let bytes: ContiguousArray<UInt8> = []
  public init() {}
  public init(_ bytes: some Sequence<UInt8>) {}
  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(index: Int) -> UInt8 { 0 }
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span }
  }
}

public struct Date: Hashable, Sendable {
  public init() {}
  public var timeIntervalSince1970: TimeInterval { 0 }
  public var timeIntervalSinceNow: TimeInterval { 0 }
  public init(timeIntervalSince1970: TimeInterval) {}
}

public protocol LocalizedError: Error {
  var errorDescription: String? { get }
  var failureReason: String? { get }
  var recoverySuggestion: String? { get }
  var helpAnchor: String? { get }
}

extension LocalizedError {
  public var errorDescription: String? { nil }
  public var failureReason: String? { nil }
  public var recoverySuggestion: String? { nil }
  public var helpAnchor: String? { nil }
}

public struct CocoaError: Error {
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
  }
  public var code: Code { Code(rawValue: 0) }
}

open class JSONEncoder: @unchecked Sendable {
  public init() {}
  open func encode(_ value: some Encodable) throws -> Data { Data() }
}

open class JSONDecoder: @unchecked Sendable {
  public init() {}
  open func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw URLError() }
}

public struct UUID: Hashable, Sendable {
  public init() {}
  public var uuidString: String { "" }
}

public struct FileAttributeKey: Hashable, Sendable {
  public static let posixPermissions = FileAttributeKey()
}

open class FileManager: NSObject {
  open class var `default`: FileManager { FileManager() }
  open var temporaryDirectory: URL { URL() }
  open var currentDirectoryPath: String { "" }
  open func createDirectory(
    at url: URL, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
  ) throws {}
  open func createFile(atPath path: String, contents: Data?, attributes: [FileAttributeKey: Any]? = nil) -> Bool {
    false
  }
  open func fileExists(atPath path: String) -> Bool { false }
  open func removeItem(atPath path: String) throws {}
  open func moveItem(atPath path: String, toPath newPath: String) throws {}
}

// MARK: Streams

open class Stream: NSObject {
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }
  public unowned(unsafe) var delegate: (any StreamDelegate)?
  open func open() {}
  open func close() {}
  public class func getBoundStreams(
    withBufferSize size: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
    outputStream: UnsafeMutablePointer<OutputStream?>?
  ) {}
}

public protocol StreamDelegate: NSObject {
  func stream(_ stream: Stream, handle event: Stream.Event)
}

open class InputStream: Stream {
  public init(data: Data) {}
}

open class OutputStream: Stream {
  open var hasSpaceAvailable: Bool { false }
  open func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int { 0 }
}

// Swift converts an OutputStream to a CFWriteStream, with which it shares its implementation.
public func CFWriteStreamSetDispatchQueue(_ stream: OutputStream!, _ queue: DispatchQueue!) {}

// MARK: URL loading

public struct URLError: Error {
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let unknown = Code(rawValue: -1)
    public static let cancelled = Code(rawValue: -999)
    public static let badURL = Code(rawValue: -1000)
    public static let timedOut = Code(rawValue: -1001)
    public static let unsupportedURL = Code(rawValue: -1002)
    public static let cannotFindHost = Code(rawValue: -1003)
    public static let cannotConnectToHost = Code(rawValue: -1004)
    public static let dnsLookupFailed = Code(rawValue: -1006)
    public static let notConnectedToInternet = Code(rawValue: -1009)
    public static let internationalRoamingOff = Code(rawValue: -1018)
    public static let callIsActive = Code(rawValue: -1019)
    public static let dataNotAllowed = Code(rawValue: -1020)
    public static let appTransportSecurityRequiresSecureConnection = Code(rawValue: -1022)
    public static let dataLengthExceedsMaximum = Code(rawValue: -1103)
    public static let secureConnectionFailed = Code(rawValue: -1200)
    public static let serverCertificateHasBadDate = Code(rawValue: -1201)
    public static let serverCertificateUntrusted = Code(rawValue: -1202)
    public static let serverCertificateHasUnknownRoot = Code(rawValue: -1203)
    public static let serverCertificateNotYetValid = Code(rawValue: -1204)
    public static let clientCertificateRejected = Code(rawValue: -1205)
    public static let clientCertificateRequired = Code(rawValue: -1206)
  }
  public var code: Code { .unknown }
}

public struct URLRequest: @unchecked Sendable {
  public init(url: URL) {}
  public var url: URL? { nil }
  public var httpMethod: String?
  public var allHTTPHeaderFields: [String: String]?
  public var httpBody: Data?
  public var httpBodyStream: InputStream?
  public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
  public func value(forHTTPHeaderField field: String) -> String? { nil }
}

open class NSURLRequest: NSObject {
  public enum CachePolicy: UInt, @unchecked Sendable {
    case useProtocolCachePolicy = 0
    case reloadIgnoringLocalCacheData = 1
  }
}

open class URLResponse: NSObject, @unchecked Sendable {}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  open var statusCode: Int { 0 }
  open var allHeaderFields: [AnyHashable: Any] { [:] }
}

open class CachedURLResponse: NSObject, @unchecked Sendable {}
open class URLCache: NSObject, @unchecked Sendable {}
open class URLCredential: NSObject, @unchecked Sendable {}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
open class OperationQueue: NSObject, @unchecked Sendable {}

open class HTTPCookie: NSObject, @unchecked Sendable {
  public enum AcceptPolicy: UInt, @unchecked Sendable {
    case always = 0
    case never = 1
    case onlyFromMainDocumentDomain = 2
  }
}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

open class URLProtectionSpace: NSObject, @unchecked Sendable {
  open func isProxy() -> Bool { false }
  open var authenticationMethod: String { "" }
}

open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
  open var protectionSpace: URLProtectionSpace { URLProtectionSpace() }
}

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
  open class var `default`: URLSessionConfiguration { URLSessionConfiguration() }
  open class var ephemeral: URLSessionConfiguration { URLSessionConfiguration() }
  open var urlCache: URLCache?
  open var requestCachePolicy = NSURLRequest.CachePolicy.useProtocolCachePolicy
  open var httpCookieStorage: HTTPCookieStorage?
  open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.always
  open var httpShouldSetCookies = true
  open var urlCredentialStorage: URLCredentialStorage?
  open var httpAdditionalHeaders: [AnyHashable: Any]?
  open var timeoutIntervalForRequest: TimeInterval = 0
  open var timeoutIntervalForResource: TimeInterval = 0
}

open class URLSessionTask: NSObject, @unchecked Sendable {
  open var taskIdentifier: Int { 0 }
  open var taskDescription: String?
  open var originalRequest: URLRequest? { nil }
  open var response: URLResponse? { nil }
  open func resume() {}
  open func suspend() {}
  open func cancel() {}
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}

open class URLSession: NSObject, @unchecked Sendable {
  public enum ResponseDisposition: Int, @unchecked Sendable {
    case cancel = 0
    case allow = 1
  }
  public enum AuthChallengeDisposition: Int, @unchecked Sendable {
    case useCredential = 0
    case performDefaultHandling = 1
    case cancelAuthenticationChallenge = 2
    case rejectProtectionSpace = 3
  }
  public init(
    configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?
  ) {}
  open func dataTask(with request: URLRequest) -> URLSessionDataTask { URLSessionDataTask() }
  open func uploadTask(with request: URLRequest, fromFile file: URL) -> URLSessionUploadTask { URLSessionUploadTask() }
  open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { URLSessionDownloadTask() }
  open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {}
  open func finishTasksAndInvalidate() {}
  open func invalidateAndCancel() {}
}

public protocol URLSessionDelegate: NSObject, Sendable {}

open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
  open var networkProtocolName: String? { nil }
}

open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  open var transactionMetrics: [URLSessionTaskTransactionMetrics] { [] }
}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64)
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)
}

public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)
}

// The methods are optional. These are the ones that the delegate of downloads does not have.
extension URLSessionDownloadDelegate {
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {}
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {}
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {}
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {}
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {}
}
