enum S3ChunkVectors { static func check(_ vector: S3Vector) throws {} }
enum S3FormVectors { static func check(_ vector: S3Vector) throws {} }
