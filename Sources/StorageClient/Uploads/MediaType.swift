/// Media types by the extension of a name.
enum MediaType {
  /// What bytes are that nobody knows anything about.
  static let unknown = "application/octet-stream"

  /// The media type that the extension of a name stands for.
  static func guess(fromName name: String) -> String {
    guard let dot = name.lastIndex(of: ".") else { return unknown }
    return byExtension[name[name.index(after: dot)...].lowercased()] ?? unknown
  }

  private static let byExtension = [
    "3gp": "video/3gpp", "7z": "application/x-7z-compressed", "aac": "audio/aac", "apk": "application/vnd.android.package-archive",
    "avi": "video/x-msvideo", "avif": "image/avif", "bmp": "image/bmp", "br": "application/x-brotli",
    "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "eot": "application/vnd.ms-fontobject",
    "epub": "application/epub+zip", "flac": "audio/flac", "flv": "video/x-flv", "gif": "image/gif", "gz": "application/gzip",
    "heic": "image/heic", "heif": "image/heif", "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon",
    "ics": "text/calendar", "jar": "application/java-archive", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "js": "text/javascript", "json": "application/json", "jsonl": "application/jsonl", "m3u8": "application/vnd.apple.mpegurl",
    "m4a": "audio/mp4", "m4v": "video/x-m4v", "md": "text/markdown", "mid": "audio/midi", "mjs": "text/javascript",
    "mkv": "video/x-matroska", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg",
    "mpg": "video/mpeg", "oga": "audio/ogg", "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/opus", "otf": "font/otf",
    "parquet": "application/vnd.apache.parquet", "pdf": "application/pdf", "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "rar": "application/vnd.rar",
    "rtf": "application/rtf", "svg": "image/svg+xml", "swift": "text/x-swift", "tar": "application/x-tar", "tgz": "application/gzip",
    "tif": "image/tiff", "tiff": "image/tiff", "toml": "application/toml", "ts": "video/mp2t", "tsv": "text/tab-separated-values",
    "ttf": "font/ttf", "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm",
    "webm": "video/webm", "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xhtml": "application/xhtml+xml",
    "xls": "application/vnd.ms-excel", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml", "xz": "application/x-xz", "yaml": "application/yaml", "yml": "application/yaml",
    "zip": "application/zip", "zst": "application/zstd",
  ]
}
