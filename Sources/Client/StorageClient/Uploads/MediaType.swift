// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The media types that uploads are stored with unless the caller names another one.
///
/// ```swift
/// let type = MediaType.ofFile(named: "cat.jpg")
/// let upload = try await client.presign(.put, "cat.jpg", contentType: type, validFor: .seconds(600))
/// ```
public enum MediaType {
  /// The media type of files with an unknown extension or without an extension: `application/octet-stream`.
  public static let unknown = "application/octet-stream"

  /// The media types by file name extension, in lowercase and without the dot.
  public static let byExtension: [String: String] = table.split(separator: "\n").reduce(into: [:]) { types, line in
    let words = line.split(separator: " ").map(String.init)
    for word in words.dropFirst() { types[word] = words[0] }
  }

  /// Returns the media type for the extension of a file name, a path or a key in any case, or ``unknown``.
  public static func ofFile(named name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return unknown }
    return byExtension[name[name.utf8.index(after: dot)...].lowercased()] ?? unknown
  }

  /// The media types, one per line, followed by their file name extensions.
  private static let table = """
    application/epub+zip epub
    application/gzip gz tgz
    application/java-archive jar
    application/json json
    application/jsonl jsonl
    application/msword doc
    application/pdf pdf
    application/rtf rtf
    application/toml toml
    application/vnd.android.package-archive apk
    application/vnd.apache.parquet parquet
    application/vnd.apple.mpegurl m3u8
    application/vnd.ms-excel xls
    application/vnd.ms-fontobject eot
    application/vnd.ms-powerpoint ppt
    application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
    application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
    application/vnd.rar rar
    application/wasm wasm
    application/x-7z-compressed 7z
    application/x-brotli br
    application/x-bzip2 bz2
    application/x-tar tar
    application/x-xz xz
    application/xhtml+xml xhtml
    application/xml xml
    application/yaml yaml yml
    application/zip zip
    application/zstd zst
    audio/aac aac
    audio/flac flac
    audio/midi mid
    audio/mp4 m4a
    audio/mpeg mp3
    audio/ogg oga ogg
    audio/opus opus
    audio/wav wav
    audio/webm weba
    font/otf otf
    font/ttf ttf
    font/woff woff
    font/woff2 woff2
    image/avif avif
    image/bmp bmp
    image/gif gif
    image/heic heic
    image/heif heif
    image/jpeg jpeg jpg
    image/png png
    image/svg+xml svg
    image/tiff tif tiff
    image/vnd.microsoft.icon ico
    image/webp webp
    text/calendar ics
    text/css css
    text/csv csv
    text/html htm html
    text/javascript js mjs
    text/markdown md
    text/plain txt
    text/tab-separated-values tsv
    text/x-swift swift
    video/3gpp 3gp
    video/mp2t ts
    video/mp4 mp4
    video/mpeg mpeg mpg
    video/ogg ogv
    video/quicktime mov
    video/webm webm
    video/x-flv flv
    video/x-m4v m4v
    video/x-matroska mkv
    video/x-msvideo avi
    """
}
