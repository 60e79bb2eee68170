// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP1
internal import StorageCrypto

/// A handler that replaces a URL in the request line by its path and query (RFC 9112, section 3.2).
///
/// It precedes the conversion to swift-http-types, which would drop the host of the URL, although that takes precedence
/// over the `Host` header (RFC 9112, section 3.2.2). With `GET http://public.example/ HTTP/1.1` and `Host:
/// admin.example`, a proxy in front of the server would then admit `public.example`, and the server would answer for
/// `admin.example`. Therefore there must be one `Host` header, with the same host and port.
///
/// Any other target but a path or `OPTIONS *` becomes an empty string, which no client can send, and which
/// ``LimitedHTTPChannel/refusingUnreadableTargets(_:)`` or the responder refuses.
final class RequestTargetReader: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(var head) = unwrapInboundIn(data), head.uri.utf8.first != UInt8(ascii: "/") else {
      context.fireChannelRead(data)
      return
    }
    // This target asks about the server itself (RFC 9112, section 3.2.4).
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

/// A request target in absolute form: a URL.
private struct AbsoluteForm {
  private let authority: Substring
  /// The path with the query; at least `/`.
  let path: String

  /// Parses a URL with the scheme `http` or `https` and a host, and without a user or a fragment.
  init?(_ text: String) {
    let scheme = ["http://", "https://"].first { scheme in
      text.utf8.prefix(scheme.utf8.count).map(asciiLowercased).elementsEqual(scheme.utf8)
    }
    guard let scheme else { return nil }
    let urlWithoutScheme = Substring(text.utf8.suffix(text.utf8.count - scheme.utf8.count))
    authority = Substring(urlWithoutScheme.utf8.prefix { !"/?".utf8.contains($0) })
    guard !authority.isEmpty, !authority.hasByte("@"), !text.hasByte("#") else { return nil }
    let pathAndQuery = urlWithoutScheme[authority.endIndex...]
    path = pathAndQuery.beginsWithByte("/") ? String(pathAndQuery) : "/\(pathAndQuery)"
  }

  /// Returns the URL's host if the only `Host` header has the same one, in any letter case.
  func host(agreeingWith headers: [String]) -> String? {
    let host = String(authority)
    return headers.count == 1 && headers[0].asciiLowercased.isIdentical(to: host.asciiLowercased) ? host : nil
  }
}
