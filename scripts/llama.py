"""llama.cpp through its C interface, as far as the tests need it: a text's tokens and the logits of each of them.

The library is the one that the package xllamacpp carries ready-made. Its parameters are structures passed by value, of
which only the fields up to the last that is set here are named; the rest keeps what the library itself put there. Their
order is that of llama.h at the version below.
"""
import ctypes

import numpy
import xllamacpp
from xllamacpp import xllamacpp as library

VERSION = "2026.10.11549"
F32 = 0  # enum ggml_type
REST = 1024  # bytes; more than the structures have


def fields(kind, names):
    return [(name, kind) for name in names.split()]


class ModelParameters(ctypes.Structure):
    _fields_ = [("rest", ctypes.c_byte * REST)]


class ContextParameters(ctypes.Structure):
    _fields_ = [
        *fields(ctypes.c_uint32, "n_ctx n_batch n_ubatch n_seq_max n_rs_seq n_outputs_max n_outputs_max_per_seq"),
        *fields(ctypes.c_int32, "n_threads n_threads_batch"),
        *fields(ctypes.c_int, "ctx_type rope_scaling_type pooling_type attention_type flash_attn_type"),
        *fields(ctypes.c_float, "rope_freq_base rope_freq_scale yarn_ext_factor yarn_attn_factor yarn_beta_fast"),
        *fields(ctypes.c_float, "yarn_beta_slow"),
        *fields(ctypes.c_uint32, "yarn_orig_ctx"),
        *fields(ctypes.c_float, "defrag_thold"),
        *fields(ctypes.c_void_p, "cb_eval cb_eval_user_data"),
        *fields(ctypes.c_int, "type_k type_v"),
        ("rest", ctypes.c_byte * REST),
    ]


class Batch(ctypes.Structure):
    _fields_ = [
        ("n_tokens", ctypes.c_int32),
        ("token", ctypes.POINTER(ctypes.c_int32)),
        *fields(ctypes.c_void_p, "embd pos n_seq_id seq_id"),  # NULL: the next positions of the one sequence
        ("logits", ctypes.POINTER(ctypes.c_int8)),
    ]


def quiet(level, text, user):
    pass


class Llama:
    def __init__(self, path, context):
        assert xllamacpp.__version__ == VERSION, f"xllamacpp {VERSION} expected, found {xllamacpp.__version__}"
        self.c = ctypes.CDLL(library.__file__)
        self.log = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(quiet)
        self.declare()
        self.c.llama_log_set(self.log, None)
        self.model = self.c.llama_model_load_from_file(str(path).encode(), self.c.llama_model_default_params())
        assert self.model, f"llama.cpp does not open {path}"
        self.vocabulary = self.c.llama_model_get_vocab(self.model)
        self.size = self.c.llama_vocab_n_tokens(self.vocabulary)
        parameters = self.c.llama_context_default_params()
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = context
        parameters.n_threads = parameters.n_threads_batch = 2
        parameters.flash_attn_type = 0
        parameters.type_k = parameters.type_v = F32
        self.context = self.c.llama_init_from_model(self.model, parameters)
        assert self.context, f"llama.cpp makes no context for {path}"

    def declare(self):
        pointer, number = ctypes.c_void_p, ctypes.c_int32
        for name, result, arguments in [
            ("log_set", None, [pointer, pointer]),
            ("model_default_params", ModelParameters, []),
            ("context_default_params", ContextParameters, []),
            ("model_load_from_file", pointer, [ctypes.c_char_p, ModelParameters]),
            ("init_from_model", pointer, [pointer, ContextParameters]),
            ("model_get_vocab", pointer, [pointer]),
            ("vocab_n_tokens", number, [pointer]),
            ("tokenize", number, [pointer, ctypes.c_char_p, number, pointer, number, ctypes.c_bool, ctypes.c_bool]),
            ("detokenize", number, [pointer, pointer, number, pointer, number, ctypes.c_bool, ctypes.c_bool]),
            ("decode", number, [pointer, Batch]),
            ("get_logits_ith", ctypes.POINTER(ctypes.c_float), [pointer, number]),
            ("get_memory", pointer, [pointer]),
            ("memory_clear", None, [pointer, ctypes.c_bool]),
            ("free", None, [pointer]),
            ("model_free", None, [pointer]),
        ]:
            function = getattr(self.c, f"llama_{name}")
            function.restype, function.argtypes = result, arguments

    def close(self):
        self.c.llama_free(self.context)
        self.c.llama_model_free(self.model)

    def tokenize(self, text):
        room = 8 + len(text)
        ids = (ctypes.c_int32 * room)()
        count = self.c.llama_tokenize(self.vocabulary, text, len(text), ids, room, False, False)
        assert count >= 0
        return list(ids[:count])

    def detokenize(self, ids):
        buffer = ctypes.create_string_buffer(64 + 64 * len(ids))
        length = self.c.llama_detokenize(self.vocabulary, (ctypes.c_int32 * len(ids))(*ids), len(ids), buffer,
                                         len(buffer), False, False)
        return buffer.raw[:length]

    def reset(self):
        self.c.llama_memory_clear(self.c.llama_get_memory(self.context), True)

    def logits(self, ids):
        """Goes on after what was there since reset(); one row of the vocabulary's size for each token."""
        count = len(ids)
        batch = Batch(count, (ctypes.c_int32 * count)(*ids), None, None, None, None, (ctypes.c_int8 * count)(*[1] * count))
        assert self.c.llama_decode(self.context, batch) == 0
        rows = [numpy.ctypeslib.as_array(self.c.llama_get_logits_ith(self.context, i), (self.size,)) for i in range(count)]
        return numpy.array(rows, dtype=numpy.float32)
