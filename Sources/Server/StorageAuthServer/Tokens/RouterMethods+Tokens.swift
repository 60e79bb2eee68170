// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import Hummingbird

extension RouterMethods {
  /// Adds a route that issues temporary keys, for GET and POST requests.
  ///
  /// The route does not authenticate the caller; put it behind the app's own authentication. If `order` throws an
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
  ///   - order: A closure that returns the caller of a request and the scope that the app grants to the caller.
  /// - Returns: The router, so that calls can be chained.
  @discardableResult
  public func temporaryKeys(
    _ format: TokenFormat, at path: RouterPath, from service: TokenService,
    order: @escaping @Sendable @concurrent (Request, Context) async throws -> KeyRequest
  ) -> Self {
    let handler: @Sendable (Request, Context) async throws -> Response = { request, context in
      let requestID = context.id
      do {
        let issued = try await service.key(for: try await order(request, context))
        return .json(format.document(issued, requestID))
      } catch let error as HTTPError {
        return .json(refusal: TokenRefusal(error), requestID, format.refusal)
      } catch let error as TokenServiceError {
        return .json(refusal: TokenRefusal(error), requestID, format.refusal)
      }
    }
    on(path, method: .get, use: handler)
    on(path, method: .post, use: handler)
    return self
  }
}
