/* hdf5_heap.c - texts of any length: an element is a length, the address of a collection in the
 * file, and the number of an object in it.
 *
 * A collection is "GCOL", its size, and objects: number, length, bytes padded to eight. Texts
 * mostly follow each other; so the search goes on where the last one ended, and a collection that
 * is searched anew is charged to the file's effort again. */
#include "formats/hdf5.h"

static spd_status open_collection(spd_context *ctx, h5_file *file, uint64_t address, h5_heap *heap)
{
    h5_cursor start;
    spd_status status =
        h5_signed(ctx, file, address, 8 + (uint64_t)file->length_size, "GCOL", &start);
    if (status < 0)
        return status;
    h5_take(&start, 4);
    uint64_t size = h5_take_length(&start, file);
    status = h5_block(ctx, file, address, size, &heap->rest);
    if (status < 0)
        return status;
    h5_take_part(&heap->rest, 8 + file->length_size);
    heap->address = address;
    return heap->rest.bad ? h5_damaged(ctx) : SPD_OK;
}

/* *object <- the next object with that number, if there is one up to the end. */
static int find_object(const h5_file *file, h5_heap *heap, uint64_t number, h5_cursor *object)
{
    const size_t head = 8 + (size_t)file->length_size;
    while (heap->rest.left >= head) {
        uint64_t index = h5_take(&heap->rest, 2);
        h5_take(&heap->rest, 6);
        uint64_t size = h5_take_length(&heap->rest, file);
        if (index == 0 || size > heap->rest.left) /* free space, or damage */
            break;
        *object = h5_take_part(&heap->rest, (size_t)size);
        h5_take_part(&heap->rest,
                     (8 - size % 8) % 8 < heap->rest.left ? (8 - size % 8) % 8 : heap->rest.left);
        if (index == number)
            return 1;
    }
    heap->rest.left = 0;
    return 0;
}

spd_status h5_heap_text(spd_context *ctx, h5_file *file, h5_heap *heap, h5_cursor *element,
                        h5_cursor *text)
{
    uint64_t length = h5_take(element, 4), address = h5_take_address(element, file);
    uint64_t number = h5_take(element, 4);
    spd_status status = SPD_OK;
    *text = (h5_cursor){file->bytes, 0, 0};
    if (element->bad)
        return h5_damaged(ctx);
    if (length == 0 || address == H5_UNDEFINED || address == 0)
        return SPD_OK;
    int found = heap->address == address && find_object(file, heap, number, text);
    if (!found) {
        status = open_collection(ctx, file, address, heap);
        found = status == SPD_OK && find_object(file, heap, number, text);
    }
    if (status == SPD_OK && (!found || length > text->left))
        status = h5_damaged(ctx);
    text->left = (size_t)(length < text->left ? length : text->left);
    return status;
}
