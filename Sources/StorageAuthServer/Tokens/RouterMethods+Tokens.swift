public import Hummingbird

extension RouterMethods {
  /// Adds a route that hands out temporary keys, with GET and with POST.
  ///
  /// Whoever asks has to be known before: put the route behind the app's own authentication. An `HTTPError` that `order`
  /// throws is the answer, in the shape that the client reads.
  ///
  /// ```swift
  /// router.group("api").add(middleware: LoginMiddleware())
  ///   .temporaryKeys(.oss, at: "distribute-token.json", from: service) { request, context in
  ///     KeyRequest(caller: context.user.id, scope: TokenScope("user-\(context.user.id)", policy(of: context.user)))
  ///   }
  /// ```
  ///
  /// - Parameters:
  ///   - shape: How the answer is written.
  ///   - path: Where the route is.
  ///   - service: Where keys come from.
  ///   - order: Decides what a caller gets.
  @discardableResult
  public func temporaryKeys(
    _ shape: TokenShape, at path: RouterPath, from service: TokenService,
    order: @escaping @Sendable @concurrent (Request, Context) async throws -> KeyRequest
  ) -> Self {
    let handler: @Sendable (Request, Context) async throws -> Response = { request, context in
      let requestID = context.id
      do {
        let vended = try await service.key(for: try await order(request, context))
        return .json(shape.document(vended, requestID))
      } catch let error as HTTPError {
        return .json(refusal: TokenRefusal(error), requestID, shape.refusal)
      } catch let error as TokenServiceError {
        return .json(refusal: TokenRefusal(error), requestID, shape.refusal)
      }
    }
    on(path, method: .get, use: handler)
    on(path, method: .post, use: handler)
    return self
  }
}
