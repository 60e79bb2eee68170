// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import StorageCrypto

/// A handler that replaces each absolute-form request target by its origin form (RFC 9112, section 3.2), before the request
/// is converted to swift-http-types.
///
/// The conversion would drop the host of the URL, which takes precedence over the `Host` header (RFC 9112, section 3.2.2).
/// A client could then name one host to a proxy in front of the server and another one to the server: in `GET
/// http://public.example/ HTTP/1.1` with `Host: admin.example`, the proxy admits `public.example`, and the server answers
/// for `admin.example`. A URL is therefore replaced by its path and query only if there is one `Host` header, with the same
/// host and port, as RFC 9112 requires.
///
/// Any other target that is neither in origin form nor in the asterisk form of the method OPTIONS becomes an empty string,
/// which no client can send; ``LimitedHTTPChannel/refusingUnreadableTargets(_:)`` or the responder refuses it.
final class RequestTargetReader: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.uri.utf8.first != UInt8(ascii: "/") else {
      context.fireChannelRead(data)
      return
    }
    // `OPTIONS *` asks about the server itself (RFC 9112, section 3.2.4).
    let isAsteriskForm = head.method == .OPTIONS && head.uri.utf8.elementsEqual("*".utf8)
    if !isAsteriskForm {
      if let target = AbsoluteForm(head.uri), let host = target.host(agreeingWith: head.headers["host"]) {
        head.uri = target.path
        head.headers.replaceOrAdd(name: "Host", value: host)
      } else {
        head.uri = ""
      }
    }
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }
}

/// A request target in absolute form: a URL, divided into its authority and its path.
private struct AbsoluteForm {
  /// The host with the port, if the URL has one.
  private let authority: Substring
  /// The path with the query; at least `/`.
  let path: String

  /// Parses a URL with the scheme `http` or `https` and a host, without a user and a fragment; `nil` for another text.
  init?(_ text: String) {
    let bytes = text.utf8
    let scheme = ["http://", "https://"].first { scheme in
      bytes.prefix(scheme.utf8.count).map(asciiLowercased).elementsEqual(scheme.utf8)
    }
    guard let scheme else { return nil }
    let urlWithoutScheme = text[bytes.index(bytes.startIndex, offsetBy: scheme.utf8.count)...]
    let authorityEnd =
      urlWithoutScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      ?? urlWithoutScheme.endIndex
    authority = urlWithoutScheme[..<authorityEnd]
    let pathAndQuery = urlWithoutScheme[authorityEnd...]
    guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")), !bytes.contains(UInt8(ascii: "#")) else {
      return nil
    }
    path = pathAndQuery.utf8.first == UInt8(ascii: "/") ? String(pathAndQuery) : "/\(pathAndQuery)"
  }

  /// Returns the URL's host if the only `Host` header has the same one, in any letter case.
  func host(agreeingWith headers: [String]) -> String? {
    guard headers.count == 1, let header = headers.first,
      header.utf8.map(asciiLowercased).elementsEqual(authority.utf8.map(asciiLowercased))
    else { return nil }
    return String(authority)
  }
}
