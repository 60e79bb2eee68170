// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import Hummingbird

/// The response format of a route that issues keys, such as ``oss``, which the SDKs of a vendor read.
public struct TokenFormat: Sendable {
  /// A refusal in the form that the caller receives.
  public struct Refusal: Sendable, Hashable {
    /// The HTTP status of the response to the caller.
    public let status: HTTPResponse.Status
    /// An error code in camel case, such as `TooManyRequests`.
    public let code: String
    /// A message for the caller, without secrets.
    public let message: String
  }

  let document: @Sendable (IssuedKey, _ requestID: String) -> [UInt8]
  let refusal: @Sendable (Refusal, _ requestID: String) -> [UInt8]

  /// Creates a response format.
  ///
  /// - Parameters:
  ///   - document: A closure that encodes a response with a key as JSON in UTF-8.
  ///   - refusal: A closure that encodes a refusal as JSON in UTF-8.
  public init(
    document: @escaping @Sendable (IssuedKey, _ requestID: String) -> [UInt8],
    refusal: @escaping @Sendable (Refusal, _ requestID: String) -> [UInt8]
  ) {
    self.document = document
    self.refusal = refusal
  }

  init(
    json document: @escaping @Sendable (IssuedKey, _ requestID: String) -> JSONValue,
    refusal: @escaping @Sendable (Refusal, _ requestID: String) -> JSONValue
  ) {
    self.init(document: { document($0, $1).serialized }, refusal: { refusal($0, $1).serialized })
  }

  /// The response format that the SDKs of Alibaba Cloud OSS read from `distribute-token.json`.
  ///
  /// Its fields are `StatusCode`, `AccessKeyId`, `AccessKeySecret`, `SecurityToken` and `Expiration`.
  public static let oss = TokenFormat(
    json: { issued, requestID in
      [
        "StatusCode": 200, "AccessKeyId": .string(issued.key.id.string),
        "AccessKeySecret": .string(issued.key.secret.reveal()),
        "SecurityToken": issued.tokenText,
        "Expiration": .string(issued.expiration.iso8601), "RequestId": .string(requestID),
      ]
    },
    refusal: { refusal, requestID in
      [
        "StatusCode": .number(JSONNumber(refusal.status.code)), "ErrorCode": .string(refusal.code),
        "ErrorMessage": .string(refusal.message), "RequestId": .string(requestID),
      ]
    })

  /// The response format that the SDKs of Tencent Cloud COS read: `credentials`, `startTime`, `expiredTime`.
  ///
  /// The start time is the current time, so that a device with a wrong clock can still measure the lifetime.
  public static let cos = TokenFormat(
    json: { issued, requestID in
      [
        "credentials": [
          "tmpSecretId": .string(issued.key.id.string), "tmpSecretKey": .string(issued.key.secret.reveal()),
          "sessionToken": issued.tokenText,
        ],
        "startTime": .number(JSONNumber(issued.date.unixSeconds)),
        "expiredTime": .number(JSONNumber(issued.expiration.unixSeconds)),
        "expiration": .string(issued.expiration.iso8601), "requestId": .string(requestID),
      ]
    },
    refusal: { refusal, requestID in
      [
        "code": .number(JSONNumber(refusal.status.code)), "codeDesc": .string(refusal.code),
        "message": .string(refusal.message), "requestId": .string(requestID),
      ]
    })

  /// The response format that Amazon's SDKs read from the URL in `AWS_CONTAINER_CREDENTIALS_FULL_URI`.
  ///
  /// Its fields are `AccessKeyId`, `SecretAccessKey`, `Token` and `Expiration`. Source: "Container credential provider"
  /// in the AWS SDKs and Tools Reference Guide.
  public static let s3 = TokenFormat(
    json: { issued, _ in
      [
        "AccessKeyId": .string(issued.key.id.string), "SecretAccessKey": .string(issued.key.secret.reveal()),
        "Token": issued.tokenText, "Expiration": .string(issued.expiration.iso8601),
      ]
    },
    refusal: { refusal, requestID in
      ["code": .string(refusal.code), "message": .string(refusal.message), "requestId": .string(requestID)]
    })
}

extension IssuedKey {
  /// The session token, which every issued key has.
  fileprivate var tokenText: JSONValue { .string(key.sessionToken?.reveal() ?? "") }
}

extension RouterMethods {
  /// Adds a route that issues temporary keys, for GET and POST requests.
  ///
  /// The route does not authenticate the caller; put it behind the app's own authentication. If `makeRequest` throws an
  /// `HTTPError`, the error becomes the response, in the format that the client reads.
  ///
  /// ```swift
  /// router.group("api").add(middleware: LoginMiddleware())
  ///   .temporaryKeys(.oss, at: "distribute-token.json", from: service) { request, context in
  ///     KeyRequest(caller: context.user.id, scope: TokenScope("user-\(context.user.id)", policy(of: context.user)))
  ///   }
  /// ```
  ///
  /// - Parameters:
  ///   - format: The format of the responses.
  ///   - path: The path of the route.
  ///   - service: The service that issues the keys.
  ///   - makeRequest: A closure that returns the caller of a request and the scope that the app grants to the caller.
  /// - Returns: The router, so that calls can be chained.
  @discardableResult public func temporaryKeys(
    _ format: TokenFormat, at path: RouterPath, from service: TokenService,
    makeRequest: @escaping @Sendable @concurrent (Request, Context) async throws -> KeyRequest
  ) -> Self {
    let handler: @Sendable (Request, Context) async throws -> Response = { request, context in
      let requestID = context.id
      do {
        let issued = try await service.key(for: try await makeRequest(request, context))
        return .json(format.document(issued, requestID))
      } catch let error as HTTPError {
        return .json(TokenRefusal(error), requestID: requestID, encodedBy: format.refusal)
      } catch let error as TokenServiceError {
        return .json(TokenRefusal(error), requestID: requestID, encodedBy: format.refusal)
      }
    }
    on(path, method: .get, use: handler)
    on(path, method: .post, use: handler)
    return self
  }
}
