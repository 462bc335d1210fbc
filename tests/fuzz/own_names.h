/* own_names.h - included before everything else in the stand-ins for zlib and Jansson: other names,
 * so that a fuzz target can have them beside the libraries. */
#ifndef SPD_TESTS_OWN_NAMES_H
#define SPD_TESTS_OWN_NAMES_H

#define inflateInit2  own_inflateInit2
#define inflate       own_inflate
#define inflateEnd    own_inflateEnd
#define deflateInit2  own_deflateInit2
#define deflateBound  own_deflateBound
#define deflate       own_deflate
#define deflateEnd    own_deflateEnd
#define compress      own_compress
#define crc32         own_crc32
#define crc32_z       own_crc32_z
#define crc32_combine own_crc32_combine
#define adler32       own_adler32
#define zlibVersion   own_zlibVersion

#define json_object                 own_json_object
#define json_array                  own_json_array
#define json_string                 own_json_string
#define json_string_nocheck         own_json_string_nocheck
#define json_sprintf                own_json_sprintf
#define json_integer                own_json_integer
#define json_real                   own_json_real
#define json_true                   own_json_true
#define json_false                  own_json_false
#define json_null                   own_json_null
#define json_incref                 own_json_incref
#define json_decref                 own_json_decref
#define json_equal                  own_json_equal
#define json_string_value           own_json_string_value
#define json_integer_value          own_json_integer_value
#define json_real_value             own_json_real_value
#define json_number_value           own_json_number_value
#define json_object_get             own_json_object_get
#define json_object_set_new         own_json_object_set_new
#define json_object_set_new_nocheck own_json_object_set_new_nocheck
#define json_object_update_new      own_json_object_update_new
#define json_object_del             own_json_object_del
#define json_object_size            own_json_object_size
#define json_array_size             own_json_array_size
#define json_array_get              own_json_array_get
#define json_array_append_new       own_json_array_append_new
#define json_pack                   own_json_pack
#define json_pack_ex                own_json_pack_ex
#define json_loads                  own_json_loads
#define json_loadb                  own_json_loadb
#define json_dumpb                  own_json_dumpb
#define json_dumps                  own_json_dumps
#define json_sequence               own_json_sequence
#define jansson_version_str         own_jansson_version_str

/* Of stand_ins.c. */
#define real_unpack own_unpack
#define real_json   own_json

#endif
